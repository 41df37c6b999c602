package jobs

import (
	"context"
	"maps"
	"slices"

	"resellerd/application/dryrun"
	"resellerd/application/internal/usecase"
	"resellerd/domain/bulk"
	"resellerd/domain/line"
	"resellerd/domain/principal"
)

// dryRunResult is what a bulk job would do.
type dryRunResult struct {
	bulk.Outcome
	lines []int64 // that it is for
	whole bool    // all of them are decided in the outcome
}

// dryRun decides what a bulk job would do, for the first most lines, by the rules that it will be done by: the same
// commands run over a snapshot whose changes go nowhere but into the balances that the next ones find.
func dryRun(ctx context.Context, s *usecase.Kernel, in usecase.View, call usecase.Call, c Start,
	most int) (found dryRunResult, err error) {
	r := dryrun.New(s, in, call)
	refused := map[string]int{}
	one := func(id int64, l *line.Line) error {
		if found.lines = append(found.lines, id); len(found.lines) > bulk.MaxLines {
			return bulk.ErrTooManyLines
		}
		if len(found.lines) > most {
			return nil
		}
		item, err := item(s, c.Order, id)
		if err != nil {
			return err
		}
		if err := r.Try(ctx, item, l); err != nil {
			code, is := refusalOf(err)
			if !is {
				return err
			}
			refused[code]++
			return nil
		}
		found.Succeeded++
		return nil
	}
	if c.IDs == nil {
		err = eachSelected(ctx, in, c.Filter, func(l *line.Line) error { return one(l.ID(), l) })
	} else {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(c.IDs))) {
			if err = one(id, nil); err != nil {
				break
			}
		}
	}
	found.Matched, found.whole, found.Total = len(found.lines), len(found.lines) <= most, r.Total
	for _, code := range slices.Sorted(maps.Keys(refused)) {
		found.Refused = append(found.Refused, bulk.Count{Code: code, Times: refused[code]})
	}
	for _, id := range slices.Sorted(maps.Keys(r.Left)) {
		found.Left = append(found.Left, bulk.Left{Account: id, Balance: principal.Units(r.Left[id].Units())})
	}
	return found, err
}
