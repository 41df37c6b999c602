package audit

import (
	"context"
	"errors"
	"slices"
	"testing"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/expect"
)

func TestAnAuditLeavesOutNoID(t *testing.T) {
	stored := []ports.Audited[string]{{ID: -5, Record: "a"}, {ID: 0, Record: "b"}, {ID: 3, Record: "c"},
		{ID: 4, Damage: errors.New("damaged")}, {ID: 9, Record: "d"}}
	page := func(_ context.Context, after int64, _ int) ([]ports.Audited[string], error) {
		next := slices.IndexFunc(stored, func(r ports.Audited[string]) bool { return r.ID > after })
		if next < 0 {
			return nil, nil
		}
		return stored[next : next+1], nil
	}
	var findings, visited []string
	var count int64
	a := newAuditor(struct{ ports.Records }{}, &Verdict{},
		Options{Report: func(f string) { findings = append(findings, f) }})
	a.origin.Next = map[ports.Sequence]int64{ports.LineIDs: 9}
	err := each(t.Context(), a, kind{"record", ports.LineIDs}, &count, page, func(record string) {
		visited = append(visited, record)
	})
	if err != nil || count != 5 || !slices.Equal(visited, []string{"c", "d"}) {
		t.Errorf("counted %d, visited %q, %v", count, visited, err)
	}
	want := []string{"record -5: an id is positive", "record 0: an id is positive", "record 4: damaged",
		"record 9: it has an id that was not given yet"}
	expect.Elements(t, findings, want, "found")
	for range mostStrays {
		a.given(ports.LineIDs, 9, "another record 9")
	}
	expect.Error(t, a.sequences(t.Context()), nil)
	expect.Equal(t, findings[len(findings)-1], "sequence lines: it goes on with 9, and 1 more ids are not less")
}

func TestAnAuditRemembersABoundedNumberOfVersions(t *testing.T) {
	a := newAuditor(struct{ ports.Records }{}, &Verdict{}, Options{})
	for id := range int64(mostVersions + 1) {
		a.versionOf(journal.Numbered{Entry: journal.Entry{Line: id + 1, Version: 1}})
	}
	expect.Equal(t, len(a.history.versions), 1, "remembered versions")
}

func TestOnlyMovementsThatTheProgramMakesAreWellFormed(t *testing.T) {
	one, two := credit.Reseller(1), credit.Reseller(2)
	for _, c := range []struct {
		operation      credit.Operation
		source, target credit.Party
		line           int64
		want           bool
	}{
		{credit.Opening, credit.Issuance, one, 0, true},
		{credit.Recharge, one, two, 0, true},
		{credit.Recharge, one, two, 7, false},
		{credit.Recharge, one, credit.Consumption, 0, false},
		{credit.Reclaim, one, credit.Issuance, 0, true},
		{credit.Reclaim, one, two, 0, true},
		{credit.Reclaim, credit.Issuance, two, 0, false},
		{credit.Reclaim, one, credit.Consumption, 0, false},
		{credit.Activation, one, credit.Consumption, 7, true},
		{credit.Activation, credit.Issuance, credit.Consumption, 7, true},
		{credit.Activation, one, credit.Consumption, 0, false},
		{credit.Extension, one, two, 7, false},
	} {
		m := credit.Movement{Operation: c.operation, Source: c.source, Target: c.target, Line: c.line}
		expect.Equal(t, wellFormed(m), c.want, "%s from %s to %s for line %d", c.operation, c.source, c.target, c.line)
	}
}
