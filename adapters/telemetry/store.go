package telemetry

import (
	"context"
	"errors"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// Store returns a store that counts and traces the commands of another store.
func (t *Telemetry) Store(store ports.Store) ports.Store {
	return &observed{store, t}
}

type observed struct {
	ports.Store

	telemetry *Telemetry
}

// View implements ports.Store.
func (o *observed) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	began := time.Now()
	ctx, span := o.telemetry.begin(ctx, "store view", trace.SpanKindClient)
	err := o.Store.View(ctx, look)
	o.ended("view", began, span, err)
	return err
}

// Update implements ports.Store. It counts the movements of the last run of work, if the store confirms that they are
// stored. Movements with an unknown outcome are not counted.
func (o *observed) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	began := time.Now()
	ctx, span := o.telemetry.begin(ctx, "store update", trace.SpanKindClient)
	moved := ledger{work: work}
	err := o.Store.Update(ctx, moved.run, hints...)
	if err == nil {
		o.count(moved.last)
		for _, m := range moved.more {
			o.count(m)
		}
	}
	if moved.runs > 1 {
		o.telemetry.figures.reruns.Add(float64(moved.runs - 1))
		span.SetAttributes(attribute.Int("resellerd.store.runs", moved.runs))
	}
	o.ended("update", began, span, err)
	return err
}

func (o *observed) count(m movement) {
	if m.kind == "" {
		return
	}
	o.telemetry.figures.movements.WithLabelValues(m.kind).Inc()
	o.telemetry.figures.credits.WithLabelValues(m.kind).Add(m.credits)
}

func (o *observed) ended(command string, began time.Time, span trace.Span, err error) {
	outcome := outcomeOf(err)
	o.telemetry.commands[kindOfCommand{command, outcome}].Observe(time.Since(began).Seconds())
	if span.IsRecording() {
		span.SetAttributes(attribute.String("resellerd.store.outcome", outcome))
		if outcome == "unavailable" || outcome == "failed" {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

type kindOfCommand struct{ command, outcome string }

// Outcomes of a command: done, refused by a rule, cancelled by its caller, unavailable, or failed by a fault of the
// service.
var outcomes = []string{"done", "refused", "given-up", "unavailable", "failed"}

func outcomeOf(err error) string {
	if err == nil {
		return "done"
	}
	switch known, is := errors.AsType[*fault.Fault](err); {
	case errors.Is(err, context.Canceled):
		return "given-up"
	case errors.Is(err, ports.ErrUnavailable):
		return "unavailable"
	case is && known.Kind() != fault.Unavailable:
		return "refused"
	}
	return "failed"
}

// ledger counts the runs of an update's work, and records the movements of the last run.
type ledger struct {
	ports.Ledger

	work func(ctx context.Context, tx ports.Tx) error
	runs int
	last movement
	more []movement // the movements before last; few updates have any
}

func (l *ledger) run(ctx context.Context, tx ports.Tx) error {
	l.runs++
	l.Ledger, l.last, l.more = tx.Ledger, movement{}, nil
	tx.Ledger = l
	return l.work(ctx, tx)
}

// unitsOfCredit is the number of units in a credit.
var unitsOfCredit = math.Pow10(credit.Scale)

type movement struct {
	kind    string
	credits float64
}

// Append implements ports.Ledger.
func (l *ledger) Append(ctx context.Context, m credit.Movement) error {
	err := l.Ledger.Append(ctx, m)
	if err != nil {
		return err
	}
	if l.last.kind != "" {
		l.more = append(l.more, l.last)
	}
	l.last = movement{m.Operation.String(), float64(m.Amount.Units()) / unitsOfCredit}
	return nil
}
