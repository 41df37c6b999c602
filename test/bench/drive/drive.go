// Package drive puts a load on a server and measures its answers.
package drive

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Client makes one request and waits for its answer. It is called from one goroutine.
type Client func() error

// ErrNothingLeft ends a measurement early: a client has used up what its requests need.
var ErrNothingLeft = errors.New("nothing is left to work on")

// ErrRefused is the refusal that a client may get under too much load.
var ErrRefused = errors.New("refused because of too much load")

// Result is the result of a load.
type Result struct {
	Count   int           // requests that were answered as expected
	Refused int           // those that were refused
	Failed  int           // others
	First   error         // what the first of these said
	Took    time.Duration // until the last answer

	took []time.Duration // of each that was answered, the shortest first
}

// Quantile returns the latency that the part q of all does not exceed, from 0 to 1; 0 where there is none.
func (r *Result) Quantile(q float64) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	return r.took[int(q*float64(len(r.took)-1))]
}

// Rate returns the answers per second.
func (r *Result) Rate() float64 { return float64(r.Count) / r.Took.Seconds() }

// Closed has every client send requests for so long, one after the other: each sends the next one when it has its
// answer.
func Closed(clients []Client, long time.Duration) *Result {
	var (
		all     = make([]Result, len(clients))
		ended   sync.WaitGroup
		drained atomic.Bool
		began   = time.Now()
	)
	for i, client := range clients {
		ended.Go(func() {
			for r := &all[i]; !drained.Load(); {
				asked := time.Now()
				if asked.Sub(began) >= long {
					return
				}
				switch err := client(); {
				case err == nil:
					r.Count++
					r.took = append(r.took, time.Since(asked))
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
		total.took = append(total.took, all[i].took...)
		if total.First == nil {
			total.First = all[i].First
		}
	}
	slices.Sort(total.took)
	return total
}
