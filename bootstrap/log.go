package bootstrap

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// The log of a service has a line for each request. To write each by itself would cost as much as a read from the
// store, so lines are gathered and written together.
const (
	// logDelay is how long a line may wait to be written. A process that is killed or crashes loses what waits.
	logDelay = 10 * time.Millisecond
	// mostLogged is how many bytes may wait. Who logs more waits until they are written: where standard error is
	// not read, requests wait as well, and no line is lost.
	mostLogged = 64 << 10
)

// logLines gathers lines and writes them in their order. It is safe for concurrent use.
type logLines struct {
	out     io.Writer
	writing sync.Mutex // held while lines are written, and taken before mu

	mu      sync.Mutex
	waiting []byte
	spare   []byte // the buffer that waits for its turn
	due     bool   // flush will be called
}

// Write implements io.Writer. It never fails: there is nobody to tell that the log can't be written.
func (l *logLines) Write(line []byte) (int, error) {
	for !l.add(line) {
		l.flush()
	}
	return len(line), nil
}

// add reports whether there was room for the line. One that is longer than may wait has it where none waits.
func (l *logLines) add(line []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 && len(l.waiting)+len(line) > mostLogged {
		return false
	}
	l.waiting = append(l.waiting, line...)
	if !l.due {
		l.due = true
		time.AfterFunc(logDelay, l.flush)
	}
	return true
}

// flush returns once all lines that were added before are written.
func (l *logLines) flush() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	lines := l.waiting
	l.waiting, l.spare, l.due = l.spare[:0], nil, false
	l.mu.Unlock()
	if len(lines) > 0 {
		_, _ = l.out.Write(lines)
	}
	l.mu.Lock()
	l.spare = lines
	l.mu.Unlock()
}

// logHandler hands lines to out, and has warnings and what is worse written at once, behind all that came before.
type logHandler struct {
	slog.Handler // writes to out

	out *logLines
	// json has lines made without the handler where that gives the same.
	json bool
}

// Handle implements slog.Handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	var line []byte
	simple := false
	if h.json {
		var room [512]byte
		line, simple = appendJSON(room[:0], &r)
	}
	if simple {
		_, err = h.out.Write(line)
	} else {
		err = h.Handler.Handle(ctx, r)
	}
	if r.Level >= slog.LevelWarn {
		h.out.flush()
	}
	return err
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{Handler: h.Handler.WithAttrs(attrs), out: h.out}
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{Handler: h.Handler.WithGroup(name), out: h.out}
}

// appendJSON appends what slog.JSONHandler writes, or reports that the record has something in it that is not as simple
// as what a request logs: texts that need no escape, numbers and truth values.
func appendJSON(line []byte, r *slog.Record) (_ []byte, simple bool) {
	if y := r.Time.Year(); r.Time.IsZero() || y < 1 || y > 9999 {
		return line, false
	}
	simple = true
	text := func(t string) {
		for i := range len(t) {
			if c := t[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
				simple = false
			}
		}
		line = append(append(append(line, '"'), t...), '"')
	}
	line = append(line, `{"time":"`...)
	line = r.Time.AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","level":`...)
	text(r.Level.String())
	line = append(line, `,"msg":`...)
	text(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		simple = simple && a.Key != ""
		line = append(line, ',')
		text(a.Key)
		line = append(line, ':')
		switch a.Value.Kind() {
		case slog.KindString:
			text(a.Value.String())
		case slog.KindInt64:
			line = strconv.AppendInt(line, a.Value.Int64(), 10)
		case slog.KindBool:
			line = strconv.AppendBool(line, a.Value.Bool())
		case slog.KindFloat64:
			f := a.Value.Float64()
			simple = simple && f >= 1e-6 && f < 1e21 // others may be written with an exponent
			line = strconv.AppendFloat(line, f, 'f', -1, 64)
		case slog.KindAny, slog.KindDuration, slog.KindTime, slog.KindUint64, slog.KindGroup, slog.KindLogValuer:
			simple = false
		}
		return simple
	})
	return append(line, '}', '\n'), simple
}
