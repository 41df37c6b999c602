package api

import (
	"maps"
	"testing"
)

// NewJob returns a body that resumes a line as a job; changes win over defaults.
func NewJob(line int64, changes Fields) Fields {
	body := Fields{"action": "resume", "select": Fields{"ids": []int64{line}}, "expect": Fields{"count": 1, "total": "0"}}
	maps.Copy(body, changes)
	return body
}

// StartJob has c start a job that resumes a line.
func (c Caller) StartJob(t testing.TB, line int64, changes Fields) Answer {
	t.Helper()
	return c.Send(t, "POST", "/bulk", NewJob(line, changes)).Is(202)
}
