// Package drive puts a load on something and measures how it answers: closed, where each client asks again when it has
// its answer, or open, where requests come at a rate whatever the answers take.
package drive

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/test/bench/histogram"
)

// Client makes one request and waits for its answer. It is called from one goroutine.
type Client func() error

// ErrNothingLeft ends a measurement early: a client has used up what its requests need.
var ErrNothingLeft = errors.New("nothing is left to work on")

// ErrRefused is an answer that a client may get where more is asked than can be done.
var ErrRefused = errors.New("refused, as too much is asked")

// Result is what a load came to.
type Result struct {
	Count   int           // requests that were answered as expected
	Refused int           // those that were refused
	Failed  int           // others
	First   error         // what the first of these said
	Took    time.Duration // until the last answer
	Latency histogram.Histogram
}

// Rate returns the answers per second.
func (r *Result) Rate() float64 { return float64(r.Count) / r.Took.Seconds() }

// Closed has every client ask for so long, one request after the other.
func Closed(clients []Client, long time.Duration) *Result {
	return run(clients, func(began time.Time) (time.Time, bool) {
		now := time.Now()
		return now, now.Sub(began) < long
	})
}

// Open has the clients ask for so long at this rate, all together. A request is due at its own time, and its latency
// counts from there: where all clients still wait for answers, what is due later waits too, and that is in its figure.
// A closed loop leaves such requests out, which is called coordinated omission.
func Open(clients []Client, rate float64, long time.Duration) *Result {
	var next atomic.Int64
	between := float64(time.Second) / rate
	return run(clients, func(began time.Time) (time.Time, bool) {
		due := time.Duration(float64(next.Add(1)-1) * between)
		if due >= long {
			return time.Time{}, false
		}
		time.Sleep(time.Until(began.Add(due)))
		return began.Add(due), true
	})
}

// run has each client ask as long as turn, which waits for a request's time and returns it, says so.
func run(clients []Client, turn func(began time.Time) (intended time.Time, more bool)) *Result {
	var (
		all     = make([]Result, len(clients))
		ended   sync.WaitGroup
		drained atomic.Bool
		began   = time.Now()
	)
	for i, client := range clients {
		ended.Go(func() {
			for r := &all[i]; !drained.Load(); {
				intended, more := turn(began)
				if !more {
					return
				}
				switch err := client(); {
				case err == nil:
					r.Count++
					r.Latency.Record(time.Since(intended))
				case errors.Is(err, ErrNothingLeft):
					drained.Store(true)
				case errors.Is(err, ErrRefused):
					r.Refused++
				default:
					if r.Failed++; r.First == nil {
						r.First = err
					}
				}
			}
		})
	}
	ended.Wait()
	total := &Result{Took: time.Since(began)}
	for i := range all {
		total.Count += all[i].Count
		total.Refused += all[i].Refused
		total.Failed += all[i].Failed
		total.Latency.Add(&all[i].Latency)
		if total.First == nil {
			total.First = all[i].First
		}
	}
	return total
}
