package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// newLog returns a service's log in JSON, and where its lines wait.
func newLog(out *output) (*slog.Logger, *logLines) {
	lines := &logLines{out: out}
	return slog.New(&logHandler{Handler: slog.NewJSONHandler(lines, nil), out: lines, json: true}), lines
}

// output keeps what was written to it, once it may be written to.
type output struct {
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writes++
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestLinesAreWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out output
		log, _ := newLog(&out)
		log.Info("one")
		log.Info("two")
		time.Sleep(logDelay - 1)
		if got := out.String(); got != "" {
			t.Errorf("%q was written before its time", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := out.String(); strings.Count(got, "\n") != 2 || strings.Index(got, "one") > strings.Index(got, "two") {
			t.Errorf("after %v: %q", logDelay, got)
		}
		if out.writes != 1 {
			t.Errorf("two lines took %d writes", out.writes)
		}
		log.Info("three")
		time.Sleep(logDelay)
		synctest.Wait()
		if got := out.String(); !strings.Contains(got, "three") {
			t.Errorf("a line after the first write was not written: %q", got)
		}
	})
}

func TestAWarningIsWrittenAtOnceBehindWhatCameBefore(t *testing.T) {
	var out output
	log, _ := newLog(&out)
	for _, derived := range []*slog.Logger{log, log.With("part", "store"), log.WithGroup("store")} {
		out.text.Reset()
		derived.Info("before")
		derived.Warn("warned", "n", 1)
		if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(strings.SplitAfter(got, "\n")[1], "warned") {
			t.Errorf("%q", got)
		}
	}
}

func TestNoLineIsLostWhereTheOutputIsNotRead(t *testing.T) {
	out := output{}
	log, lines := newLog(&out)
	out.mu.Lock() // nobody reads
	const senders, each = 8, 500
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for range each {
				log.Info("request", "route", strings.Repeat("x", 100))
			}
		})
	}
	waiting := func() int {
		lines.mu.Lock()
		defer lines.mu.Unlock()
		return len(lines.waiting)
	}
	// Where the first write begins just when all have found no room, they wait for its end and nothing waits behind it.
	for end := time.Now().Add(time.Second); waiting() < mostLogged-500 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	for range 500 { // who may log on does so soon
		if n := waiting(); n > mostLogged {
			t.Errorf("%d bytes wait of at most %d", n, mostLogged)
			break
		}
		time.Sleep(time.Millisecond)
	}
	out.mu.Unlock()
	all.Wait()
	lines.flush()
	if n := strings.Count(out.String(), "\n"); n != senders*each {
		t.Errorf("%d lines of %d", n, senders*each)
	}
}

func TestALineThatIsLongerThanWhatMayWaitIsWritten(t *testing.T) {
	var out output
	log, lines := newLog(&out)
	log.Info("short")
	log.Info(strings.Repeat("x", 2*mostLogged))
	log.Info("last")
	lines.flush()
	if n := strings.Count(out.String(), "\n"); n != 3 {
		t.Errorf("%d lines of 3", n)
	}
}

// FuzzLogLine compares lines with those of log/slog, byte for byte.
func FuzzLogLine(f *testing.F) {
	f.Add("request", "/lines/:id", int64(200), 1.234, true, int64(1_700_000_000_000_000_000))
	f.Add("tab\t \"quoted\" \\", "é\u2028\xff", int64(-1), 1e-7, false, int64(0))
	f.Add("<&>", "\x7f", int64(math.MinInt64), 1e21, true, int64(1))
	f.Add("zero", "", int64(0), 0.0, true, int64(1_500_000))
	f.Add("no number", "", int64(0), math.Inf(1), true, int64(-1))
	f.Fuzz(func(t *testing.T, message, text string, n int64, x float64, yes bool, nanoseconds int64) {
		for _, at := range []time.Time{time.Unix(0, nanoseconds), time.Unix(0, nanoseconds).UTC(), {}, time.Unix(math.MaxInt32*1000, 0)} {
			for level := slog.LevelDebug; level <= slog.LevelWarn; level++ {
				r := slog.NewRecord(at, level, message, 0)
				r.AddAttrs(slog.String("route", text), slog.Int64("account", n), slog.Float64("took_ms", x), slog.Bool("tls", yes), slog.String(text, message))
				compare(t, r)
				r.AddAttrs(slog.Any("error", errors.New(text)), slog.Duration("wait", time.Duration(n)), slog.Attr{})
				compare(t, r)
			}
		}
	})
}

func compare(t *testing.T, r slog.Record) {
	t.Helper()
	var want bytes.Buffer
	if err := slog.NewJSONHandler(&want, &slog.HandlerOptions{Level: slog.LevelDebug}).Handle(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if got, simple := appendJSON(nil, &r); simple && string(got) != want.String() {
		t.Errorf("got  %swant %s", got, want.Bytes())
	}
}

func TestALineOfARequestIsMadeWithoutMemory(t *testing.T) {
	lines := &logLines{out: new(output), due: true}
	h := &logHandler{Handler: slog.NewJSONHandler(lines, nil), out: lines, json: true}
	r := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.String("route", "/lines/:id"), slog.Int("status", 200), slog.Float64("took_ms", 0.5))
	lines.waiting = make([]byte, 0, mostLogged)
	if n := testing.AllocsPerRun(100, func() { _ = h.Handle(t.Context(), r) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if !bytes.Contains(lines.waiting, []byte(`"took_ms":0.5}`)) {
		t.Errorf("%q", lines.waiting)
	}
}
