package audit_test

import (
	"context"
	"fmt"
	"testing"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// imported adds a line that was imported to the store, and the entry of its import.
func (d *diary) imported(t *testing.T) *line.Line {
	t.Helper()
	id, err := d.NextID(t.Context(), ports.LineIDs)
	require.NoError(t, err)
	platform, err := d.NextID(t.Context(), ports.PlatformIDs)
	require.NoError(t, err)
	l := fixture.Imported(d.resellers[1], id, func(s *line.State) { s.PlatformID = platform })
	require.NoError(t, d.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Lines.Insert(ctx, l)
	}))
	d.add(journal.Entry{Type: journal.LineImported, Account: l.State().Owner, Line: id, Version: 1,
		Actor: journal.Actor{Account: 1}})
	d.write()
	return l
}

// removePaid deletes a line, and leaves a tombstone that names movement 3 as its charge.
func (d *diary) removePaid(t *testing.T, l *line.Line) {
	t.Helper()
	require.NoError(t, d.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Lines.Get(ctx, l.ID()); err != nil {
			return err
		}
		left := l.Tombstone(1, fixture.Noon)
		left.Charge = 3
		return tx.Lines.Delete(ctx, left)
	}))
	d.add(journal.Entry{Type: journal.LineDeleted, Account: l.State().Owner, Line: l.ID(), Version: 2,
		Actor: journal.Actor{Account: 1}})
	d.write()
}

func TestAnAuditFindsForgedImports(t *testing.T) {
	for how, c := range map[string]struct {
		forge func(d *diary, l *line.Line)
		want  []string
	}{
		"no entry": {func(d *diary, _ *line.Line) { d.entries = d.entries[:7] }, []string{
			"line 5: it is official as an imported one, and no entry of the journal records its import",
			"line 5: it has changed 1 times, and 0 entries of the journal record a change",
		}},
		"an entry of another type": {func(d *diary, _ *line.Line) { d.entries[7].Type = journal.LineUpdated }, []string{
			"line 5: it is official as an imported one, and no entry of the journal records its import",
		}},
		"two entries": {func(d *diary, _ *line.Line) { d.entries = append(d.entries, d.entries[7]) }, []string{
			"entry 9: an entry before it records the import of line 5, too",
			"entry 9: it has version 1 of what an entry before it has version 1 of",
		}},
		"an entry of another account": {func(d *diary, _ *line.Line) {
			d.entries[7].Account = d.resellers[2].Position()
		}, []string{
			"entry 8: line 5, whose import it is, is not an imported one of account 3",
		}},
		"imported again before": {func(d *diary, _ *line.Line) { d.entries[7].Type = journal.LineReimported }, []string{
			"entry 8: line 5, which was imported again, was not imported before",
			"line 5: it is official as an imported one, and no entry of the journal records its import",
		}},
		"a charge": {func(d *diary, l *line.Line) { d.removePaid(t, l) }, []string{
			"tombstone 5: its line was imported, and movement 3 is named as its charge",
			"tombstone 5: movement 3 is not the charge of the line",
		}},
	} {
		t.Run(how, func(t *testing.T) {
			d := newDiary(t)
			c.forge(d, d.imported(t))
			d.write()
			finds(t, d, "", c.want...)
		})
	}
}

// TestAnImportedLineThatWasExtendedMayBeDeleted leaves a tombstone without a charge, and a movement of the line.
func TestAnImportedLineThatWasExtendedMayBeDeleted(t *testing.T) {
	for _, told := range []bool{true, false} {
		l := newLedger(t)
		l.master()
		owner := l.resellers[1]
		extended := fixture.Imported(owner, 1, func(s *line.State) { s.PlatformID = 1 })
		l.lines = append(l.lines, extended)
		m := l.Extend(extended, owner, "1")
		l.store(t)
		require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Lines.Get(ctx, 1); err != nil {
				return err
			}
			return tx.Lines.Delete(ctx, extended.Tombstone(1, fixture.Noon))
		}))
		d := &diary{ledger: l, damaged: map[int64]bool{}}
		d.add(journal.Entry{Type: journal.Began})
		d.about(journal.ResellerCredited, owner, l.Movements[0])
		if told {
			d.add(journal.Entry{Type: journal.LineImported, Account: owner.Position(), Line: 1, Version: 1,
				Actor: journal.Actor{Account: 1}})
		}
		d.add(journal.Entry{Type: journal.LineExtended, Account: owner.Position(), Line: 1, Version: 2,
			Movement: journal.MovementOf(m), Request: m.Request, Actor: by(m)}.WithPrice(fixture.Price(m.Amount.String())))
		d.add(journal.Entry{Type: journal.LineDeleted, Account: owner.Position(), Line: 1, Version: 3,
			Actor: journal.Actor{Account: 1}})
		d.write()
		var want []string
		if !told {
			want = []string{fmt.Sprintf("tombstone 1: its line was a trial, and movement %d paid for the line", m.ID)}
		}
		expect.Equal(t, m.Operation, credit.Extension, "the operation")
		finds(t, d, "", want...)
	}
}
