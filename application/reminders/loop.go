package reminders

import (
	"context"
	"sync/atomic"
	"time"

	"resellerd/application/internal/usecase"
)

const (
	// lookEvery is how often the loop looks for lines that are due: an idle service costs little more, and a reminder is
	// sent within two seconds.
	lookEvery = time.Second
	// sentAtOnce is how many reminders are sent in one transaction, for which commands wait.
	sentAtOnce = 32
	// pause is how many times as long as such a transaction the loop waits before the next one: commands of clients come
	// first. A million reminders take some minutes.
	pause = 3
)

// Figures are those of the loop, for operators. The zero value is ready, and safe for concurrent use.
type Figures struct {
	Behind atomic.Int64 // nanoseconds
	Sent   atomic.Int64
}

// Run sends reminders until ctx ends.
func (s Service) Run(ctx context.Context, l usecase.Loop, figures *Figures) {
	defer figures.Behind.Store(0)
	all := append([]int{0}, s.k.Policy.ExpiringDays...)
	sent := l.Passed() // when no line was left
	var failure usecase.Failure
	for goesOn := true; goesOn; goesOn = l.Sleep(ctx, lookEvery) {
		var behind time.Duration
		var err error
		for i := 0; i < len(all) && err == nil; i++ {
			err = s.sendAll(ctx, &l, figures, all[i], &behind)
		}
		if err == nil {
			sent = l.Passed()
		} else {
			behind = max(behind, l.Passed()-sent)
		}
		failure.Report(ctx, &l, "the expiry of lines could not be told of", err)
		figures.Behind.Store(int64(behind))
	}
}

// sendAll sends the reminders of all lines that are due so many days before their expiry. behind is of the first line
// that is left.
func (s Service) sendAll(ctx context.Context, l *usecase.Loop, f *Figures, days int, behind *time.Duration) error {
	for {
		began := l.Passed()
		sent, err := s.Send(ctx, l.Process, days, sentAtOnce)
		f.Sent.Add(int64(sent.Entries))
		if err != nil || !sent.More {
			return err
		}
		*behind = max(*behind, sent.Behind)
		f.Behind.Store(int64(sent.Behind))
		if !l.Sleep(ctx, pause*(l.Passed()-began)) {
			return ctx.Err()
		}
	}
}
