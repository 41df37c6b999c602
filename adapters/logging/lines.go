// Package logging implements the log: JSON or text by log/slog, written in batches, and the messages of migrations.
package logging

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Options are the level and the format of a log.
type Options struct {
	Level slog.Level
	JSON  bool // or text
}

// New returns a log that writes each line on its own.
func New(out io.Writer, o Options) *slog.Logger { return slog.New(o.handler(out)) }

func (o Options) handler(out io.Writer) slog.Handler {
	options := &slog.HandlerOptions{Level: o.Level}
	if o.JSON {
		return slog.NewJSONHandler(out, options)
	}
	return slog.NewTextHandler(out, options)
}

// Gathering returns a log that writes lines in batches, and a function that writes the waiting ones.
func Gathering(out io.Writer, o Options) (log *slog.Logger, flush func()) {
	waiting := &lines{out: out}
	return slog.New(&gathering{o.handler(waiting), waiting}), waiting.flush
}

// The log of a service has a line for each request. Writing each on its own would cost as much as a read from the
// store, so lines are written in batches.
const (
	// delay is how long a line may wait to be written. A process that is killed or crashes loses its waiting lines.
	delay = 10 * time.Millisecond
	// MostWaiting is how many bytes may wait. Then logging blocks until they are written: if no process reads standard
	// error, requests wait as well, and no line is lost.
	MostWaiting = 64 << 10
)

// lines writes lines in batches, in their order. It is safe for concurrent use.
type lines struct {
	out     io.Writer
	writing sync.Mutex // locked while lines are written, and before mu

	mu      sync.Mutex
	waiting []byte
	spare   []byte // the second buffer
	due     bool   // flush will be called
}

// Write implements io.Writer. It never fails: a failure of the log can't be logged.
func (l *lines) Write(line []byte) (int, error) {
	for !l.add(line) {
		l.flush()
	}
	return len(line), nil
}

// add reports whether there was room for the line. A line longer than MostWaiting has room if no line waits.
func (l *lines) add(line []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 && len(l.waiting)+len(line) > MostWaiting {
		return false
	}
	l.waiting = append(l.waiting, line...)
	if !l.due {
		l.due = true
		time.AfterFunc(delay, l.flush)
	}
	return true
}

// flush returns once all lines that were added before are written.
func (l *lines) flush() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	due := l.waiting
	l.waiting, l.spare, l.due = l.spare[:0], nil, false
	l.mu.Unlock()
	if len(due) > 0 {
		_, _ = l.out.Write(due)
	}
	l.mu.Lock()
	l.spare = due
	l.mu.Unlock()
}

// gathering writes a warning or an error at once, after all earlier lines.
type gathering struct {
	slog.Handler // writes to out

	out *lines
}

// Handle implements slog.Handler.
func (h *gathering) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.out.flush()
	}
	return err
}

// WithAttrs implements slog.Handler.
func (h *gathering) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &gathering{h.Handler.WithAttrs(attrs), h.out}
}

// WithGroup implements slog.Handler.
func (h *gathering) WithGroup(name string) slog.Handler {
	return &gathering{h.Handler.WithGroup(name), h.out}
}
