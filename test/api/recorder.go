package api

import (
	"net/http/httptest"
	"time"
)

// Recorder takes the answer of a handler in the test's own process. It takes deadlines, as a connection does, and never
// comes to them.
type Recorder struct{ *httptest.ResponseRecorder }

// NewRecorder returns one that has no answer yet.
func NewRecorder() Recorder { return Recorder{httptest.NewRecorder()} }

// SetReadDeadline is for http.ResponseController.
func (Recorder) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is for http.ResponseController.
func (Recorder) SetWriteDeadline(time.Time) error { return nil }
