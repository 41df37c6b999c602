package audit

import (
	"context"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// watched reports every record that an audit pages through.
type watched struct {
	ports.Records
	see func(records int)
}

// watch returns the records and reports to progress how many were read.
func watch(stored ports.Records, progress func(records int64)) ports.Records {
	if progress == nil {
		return stored
	}
	var read int64
	return watched{stored, func(records int) {
		read += int64(records)
		progress(read)
	}}
}

// Resellers implements ports.Records.
func (w watched) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return seen(ctx, w, w.Records.Resellers, after, limit)
}

// Lines implements ports.Records.
func (w watched) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return seen(ctx, w, w.Records.Lines, after, limit)
}

// Tombstones implements ports.Records.
func (w watched) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return seen(ctx, w, w.Records.Tombstones, after, limit)
}

// Movements implements ports.Records.
func (w watched) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return seen(ctx, w, w.Records.Movements, after, limit)
}

// OfKind implements ports.Records.
func (w watched) OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error) {
	found, err := w.Records.OfKind(ctx, of, after, limit)
	w.see(len(found))
	return found, err
}

func seen[T any](
	ctx context.Context, w watched, page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error), after int64, limit int,
) ([]ports.Audited[T], error) {
	found, err := page(ctx, after, limit)
	w.see(len(found))
	return found, err
}
