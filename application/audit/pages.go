package audit

import (
	"context"
	"math"

	"resellerd/application/internal/auditing"
	"resellerd/ports"
)

// kind is a kind of records, and the sequence that their ids come from, if any.
type kind struct {
	name string
	ids  ports.Sequence
}

var (
	resellerKind  = kind{"account", ports.ResellerIDs}
	lineKind      = kind{"line", ports.LineIDs}
	tombstoneKind = kind{"tombstone", ports.LineIDs}
	movementKind  = kind{"movement", ports.MovementIDs}
	entryKind     = kind{name: "entry"} // of the journal
)

// each goes through all records of a kind, page by page. It counts them, reports those that are damaged and has check
// look at the others. Before that each function of namedBy notes which other records the page refers to, and these are
// read; a later function can look at what an earlier one had read. In a damaged store records may not come in the order
// of their ids: that is a finding, and each ends, since they might repeat for ever.
func each[T any](
	ctx context.Context, a *auditor, of kind, count *int64,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error),
	check func(record T), namedBy ...func(record T),
) error {
	after, highest := int64(math.MinInt64), int64(math.MinInt64)
	for {
		found, err := page(ctx, after, auditing.PageSize)
		a.saw(len(found))
		if err != nil || len(found) == 0 {
			return err
		}
		a.forgetNamed()
		for _, name := range namedBy {
			for _, f := range found {
				if f.Damage == nil {
					name(f.Record)
				}
			}
			if err := a.readNamed(ctx); err != nil {
				return err
			}
		}
		for _, f := range found {
			if f.Damage == nil { // a damaged id has no place
				if f.ID <= highest {
					a.Find("%s %d: it comes after %s %d: they are out of order, and were not audited to the end", of.name, f.ID,
						of.name, highest)
					return nil
				}
				highest = f.ID
			}
			*count++
			if of.ids != (ports.Sequence{}) {
				a.given(of.ids, f.ID, "%s %d: it has an id that was not given yet", of.name, f.ID)
			}
			switch {
			case f.Damage != nil:
				a.Find("%s %d: %v", of.name, f.ID, f.Damage)
			case f.ID <= 0:
				a.Find("%s %d: an id is positive", of.name, f.ID)
			default:
				check(f.Record)
			}
		}
		after = found[len(found)-1].ID
	}
}
