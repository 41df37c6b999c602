package logging

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
)

// newLog returns a log in JSON, and its buffer.
func newLog(out *output) (*slog.Logger, *lines) {
	log, _ := Gathering(out, Options{JSON: true})
	return log, log.Handler().(*gathering).out
}

// output stores the written text. A test that holds the lock blocks writing.
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
		time.Sleep(delay - 1)
		expect.Equal(t, out.String(), "", "written before its time")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := out.String(); strings.Count(got, "\n") != 2 || strings.Index(got, "one") > strings.Index(got, "two") {
			t.Errorf("after %v: %q", delay, got)
		}
		expect.Equal(t, out.writes, 1, "two lines took")
	})
}

func TestAWarningIsWrittenAtOnceAfterEarlierLines(t *testing.T) {
	var out output
	log, _ := newLog(&out)
	for _, derived := range []*slog.Logger{log, log.With("part", "store"), log.WithGroup("store")} {
		out.text.Reset()
		derived.Info("before")
		derived.Warn("warned", "n", 1)
		if got := out.String(); strings.Count(got, "\n") != 2 ||
			!strings.Contains(strings.SplitAfter(got, "\n")[1], "warned") {
			t.Errorf("%q", got)
		}
	}
}

func TestNoLineIsLostIfTheOutputIsNotRead(t *testing.T) {
	out := output{}
	log, waiting := newLog(&out)
	out.mu.Lock() // blocks writing
	const senders, each = 8, 500
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for range each {
				log.Info("request", "route", strings.Repeat("x", 100))
			}
		})
	}
	queued := func() int {
		waiting.mu.Lock()
		defer waiting.mu.Unlock()
		return len(waiting.waiting)
	}
	// If the first write begins when all senders have found no room, they wait for its end, and the buffer stays empty.
	for end := time.Now().Add(time.Second); queued() < MostWaiting-500 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	for range 20 { // a sender that can log does it soon
		if n := queued(); n > MostWaiting {
			t.Errorf("%d bytes wait of at most %d", n, MostWaiting)
			break
		}
		time.Sleep(time.Millisecond)
	}
	out.mu.Unlock()
	all.Wait()
	waiting.flush()
	expect.Equal(t, strings.Count(out.String(), "\n"), senders*each, "lines")
}
