package audit_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/application/audit"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// diary is a ledger with a journal that a test writes, and may forge.
type diary struct {
	*ledger
	entries []journal.Entry
	written []journal.Numbered
	head    journal.Head
	damaged map[int64]bool
	figures []ports.DayFigures
}

// newDiary has an admin and a master, two recharges, an activation, a trial, its deletion, and another recharge:
// entries 1 to 7, and movements 1 to 4.
func newDiary(t *testing.T) *diary {
	t.Helper()
	d := &diary{ledger: newLedger(t), damaged: map[int64]bool{}}
	d.add(journal.Entry{Type: journal.Began})
	d.master()
	d.about(journal.ResellerCredited, d.resellers[1], d.Movements[0])
	d.master()
	d.about(journal.ResellerCredited, d.resellers[2], d.Movements[1])
	d.official(d.resellers[1])
	sold := fixture.ChangedLine(d.lines[0], func(s *line.State) { s.Version = 1 })
	d.lines[0] = sold
	paid := d.Movements[2]
	d.add(journal.Entry{Type: journal.LineActivated, Account: sold.State().Owner, Line: sold.ID(), Version: 1,
		Movement: journal.MovementOf(paid), Request: paid.Request, Actor: by(paid)}.WithPrice(fixture.Price("0.5")))
	trial := fixture.Trial(d.resellers[1], 2)
	d.lines = append(d.lines, trial)
	d.add(journal.Entry{Type: journal.TrialCreated, Account: trial.State().Owner, Line: trial.ID(), Version: 1,
		Actor: journal.Actor{Account: 2}})
	d.add(journal.Entry{Type: journal.LineDeleted, Account: trial.State().Owner, Line: trial.ID(), Version: 2,
		Actor: journal.Actor{Account: 2}})
	d.about(journal.ResellerCredited, d.resellers[1], d.Fund(d.root, d.resellers[1], "3"))
	d.store(t)
	require.NoError(t, d.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		require.NoError(t, errorOf(tx.Lines.Get(ctx, trial.ID())))
		return tx.Lines.Delete(ctx, trial.Tombstone(2, fixture.Noon))
	}))
	d.write()
	return d
}

func (d *diary) add(e journal.Entry) {
	if e.At = fixture.Noon; e.Movement != nil {
		for _, m := range d.Movements {
			if m.ID == e.Movement.ID {
				e.At = m.At
			}
		}
	}
	d.entries = append(d.entries, e)
}

// about adds the entry of a movement for a reseller.
func (d *diary) about(of journal.Type, r *reseller.Reseller, m credit.Movement) {
	d.add(journal.Entry{Type: of, Account: r.Position(), Version: r.State().Version, Movement: journal.MovementOf(m),
		Request: m.Request, Actor: by(m)})
}

func by(m credit.Movement) journal.Actor {
	return journal.Actor{Account: m.Actor, Kind: journal.ByToken, Name: m.ActorName}
}

// write chains the entries, and sums their figures.
func (d *diary) write() {
	d.written, d.head, d.figures = nil, journal.Head{}, nil
	for _, e := range d.entries {
		n := d.head.Append(e)
		if e.Type == journal.Began || e.Type == journal.Restored {
			n = d.head.AppendInNewEpoch(journal.Epoch(fmt.Sprintf("%08x", len(d.written))), e)
		}
		d.written, d.head = append(d.written, n), n.Head
		n.Figures(func(account int64, f journal.Figures) { d.count(account, journal.DayOf(n.At), f) })
	}
}

func (d *diary) count(account int64, day time.Time, f journal.Figures) {
	for i, known := range d.figures {
		if known.Account == account && known.Day.Equal(day) {
			d.figures[i].Figures = known.Plus(f)
			return
		}
	}
	d.figures = append(d.figures, ports.DayFigures{Account: account, Day: day, Figures: f})
	slices.SortFunc(d.figures, func(a, b ports.DayFigures) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), a.Day.Compare(b.Day))
	})
}

// ViewRecords implements ports.Archive.
func (d *diary) ViewRecords(ctx context.Context, look func(context.Context, ports.Records) error) error {
	return d.ledger.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return look(ctx, diaryRecords{r, d})
	})
}

type diaryRecords struct {
	ports.Records
	*diary
}

func (d diaryRecords) Entries(_ context.Context, after int64,
	limit int) (page []ports.Audited[journal.Numbered], err error) {
	for _, n := range d.written {
		if n.Seq > after && len(page) < limit {
			f := ports.Audited[journal.Numbered]{ID: n.Seq, Record: n}
			if d.damaged[n.Seq] {
				f = ports.Audited[journal.Numbered]{ID: n.Seq, Damage: errors.New("a byte was changed")}
			}
			page = append(page, f)
		}
	}
	return page, nil
}

func (d diaryRecords) Head(context.Context) (journal.Head, error) { return d.head, nil }

func (d diaryRecords) Figures(_ context.Context, account int64, day time.Time,
	limit int) (page []ports.DayFigures, err error) {
	for _, f := range d.figures {
		if (f.Account > account || f.Account == account && f.Day.After(day)) && len(page) < limit {
			page = append(page, f)
		}
	}
	return page, nil
}

// A forger who rewrites the chain from an entry on is found because the ledger differs.
func TestAnAuditFindsAForgedJournal(t *testing.T) {
	const notRecorded = "entry %d: it is not what was recorded as number %d, or entry %d before it is not"
	changed := func(seq int64) string { return fmt.Sprintf(notRecorded, seq, seq, seq-1) }
	many, wantOfMany := []ports.DayFigures{}, []string{}
	for day := range 22 {
		at := journal.DayOf(fixture.Noon).AddDate(0, 0, day+1)
		many = append(many, ports.DayFigures{Account: 3, Day: at, Figures: journal.Figures{Trials: 1}})
		wantOfMany = append(wantOfMany, fmt.Sprintf(
			"account 3: its figures of %s are %s, and the entries of the journal make %s",
			at.Format(time.DateOnly), journal.Figures{Trials: 1}, journal.Figures{}))
	}
	wantOfMany = append(wantOfMany[:20], "journal: 2 more figures of accounts and days are not what its entries make")
	for how, c := range map[string]struct {
		forge func(d *diary)
		want  []string
	}{
		"removed": {func(d *diary) { d.written = slices.Delete(d.written, 3, 4) }, []string{
			"entry 5: entry 4 before it is missing", "movement 3: no entry of the journal names it",
		}},
		"removed at the end": {func(d *diary) { d.written = d.written[:6] }, []string{
			"journal: entry 7, its last, is missing", "movement 4: no entry of the journal names it",
		}},
		"removed at the end, with the store's word for it": {func(d *diary) {
			d.entries = d.entries[:6]
			d.write()
		}, []string{"movement 4: no entry of the journal names it"}},
		"removed, and the chain rewritten": {func(d *diary) {
			d.entries = slices.Delete(d.entries, 3, 4)
			d.write()
		}, []string{"movement 3: no entry of the journal names it",
			"line 1: it has changed 1 times, and 0 entries of the journal record a change"}},
		"changed": {func(d *diary) { d.written[4].Actor.Address = "192.0.2.1" }, []string{changed(5)}},
		"changed, with its hash": {func(d *diary) {
			d.entries[4].Actor.Address = "192.0.2.1"
			head := d.head
			written := slices.Clone(d.written)
			d.write()
			d.written, d.head = slices.Concat(d.written[:5], written[5:]), head
		}, []string{changed(6)}},
		"moved, and the chain rewritten": {func(d *diary) {
			d.entries[4], d.entries[5] = d.entries[5], d.entries[4]
			d.write()
		}, []string{"entry 6: it has version 1 of what an entry before it has version 2 of"}},
		"added": {func(d *diary) {
			d.written = append(d.written, d.head.Append(journal.Entry{Type: journal.TokenRevoked, At: fixture.Noon}))
		}, nil}, // it may have no number yet
		"added, and the chain rewritten": {func(d *diary) {
			d.entries = slices.Insert(d.entries, 4, d.entries[3])
			d.write()
		}, []string{"entry 5: an entry before it names movement 3, too",
			"entry 5: it has version 1 of what an entry before it has version 1 of"}},
		"another amount": {func(d *diary) {
			d.entries[3].Movement.Amount = fixture.Credits("1")
			d.write()
		}, []string{"entry 4: movement 3 is not what it says",
			"entry 4: the charge is 1 credits, and the price book makes 0.5"}},
		"another name of the actor": {func(d *diary) {
			d.entries[3].Actor.Name = "another"
			d.write()
		}, []string{"entry 4: movement 3 is not what it says"}},
		"no movement": {func(d *diary) {
			d.entries[6].Movement = nil
			d.write()
		}, []string{"entry 7: reseller.credited names no movement", "movement 4: no entry of the journal names it"}},
		"a movement that does not exist": {func(d *diary) {
			d.entries[6].Movement.ID = 9
			d.write()
		}, []string{"entry 7: movement 9, which it names, is missing", "movement 4: no entry of the journal names it"}},
		"a later beginning": {func(d *diary) {
			d.entries = append(d.entries, d.entries[0])
			d.write()
		}, []string{"entry 8: a journal begins with entry 1, and with no other"}},
		"an epoch that goes on": {func(d *diary) {
			d.written = append(d.written, d.head.Append(journal.Entry{Type: journal.Restored, At: fixture.Noon}))
			d.head = d.written[7].Head
		}, []string{"entry 8: it begins the epoch 00000000 again"}},
		"accounts and lines that never were": {func(d *diary) {
			d.entries = append(d.entries,
				journal.Entry{Type: journal.LineUpdated, At: fixture.Noon, Account: reseller.Position{ID: 2, Ancestors: []int64{7}},
					Actor: journal.Actor{Account: 8}, Line: 9})
			d.write()
		}, []string{
			"entry 8: account 2, which it concerns, is at another position than the entry says",
			"entry 8: account 8, which acted, is missing",
			"entry 8: line 9, which it is about, is missing and has left no tombstone",
		}},
		"the deletion of a line that is there": {func(d *diary) {
			d.entries[5].Line, d.entries[5].Version = 1, 3
			d.write()
		}, []string{"entry 6: line 1, whose deletion it is, still exists"}},
		"damaged": {func(d *diary) { d.damaged[4], d.damaged[6], d.damaged[7] = true, true, true }, []string{
			"entry 4: a byte was changed", "entry 5: it can't be verified, for entry 4 before it is damaged",
			"entry 6: a byte was changed", "entry 7: a byte was changed",
			"movement 3: no entry of the journal names it", "movement 4: no entry of the journal names it",
		}},
		"another figure": {func(d *diary) { d.figures[0].Trials++ }, []string{
			"account 2: its figures of 2026-02-28 are 2 trials, 1 activations, 0 extensions, 0.5 spent, 13 received, " +
				"and the entries of the journal make 1 trials, 1 activations, 0 extensions, 0.5 spent, 13 received",
		}},
		"many figures": {func(d *diary) { d.figures = append(d.figures, many...) }, wantOfMany},
		"figures of another": {func(d *diary) { d.figures[1].Account = 1; slices.Reverse(d.figures) }, []string{
			"account 1: its figures of 2026-02-28 are 0 trials, 0 activations, 0 extensions, 0 spent, 10 received, " +
				"and the entries of the journal make 0 trials, 0 activations, 0 extensions, 0 spent, 0 received",
			"account 3: its figures of 2026-02-28 are 0 trials, 0 activations, 0 extensions, 0 spent, 0 received, " +
				"and the entries of the journal make 0 trials, 0 activations, 0 extensions, 0 spent, 10 received",
		}},
	} {
		t.Run(how, func(t *testing.T) {
			d := newDiary(t)
			c.forge(d)
			finds(t, d, "", c.want...)
		})
	}
}

// The checkpoint also detects a journal that was rewritten as a whole.
func TestACheckpointVouchesForTheJournal(t *testing.T) {
	d := newDiary(t)
	checkpoint := finds(t, d, "")
	v, err := audit.Run(t.Context(), d, audit.Options{Checkpoint: strings.NewReader(checkpoint), Report: quiet.Report})
	expect.Error(t, err, nil, "%+v", v)
	expect.Equal(t, v.Entries, 7, "%+v", v)
	d.entries = append(d.entries, journal.Entry{Type: journal.TokenRevoked, At: fixture.Noon,
		Account: d.resellers[1].Position()})
	d.write()
	later := finds(t, d, checkpoint)
	d.entries[4].Actor.Address = "192.0.2.1"
	d.write()
	finds(t, d, checkpoint, "entry 7: it, or one before it, is not what it was at the checkpoint")
	d.entries[4].Actor.Address = ""
	d.entries = d.entries[:7]
	d.write()
	finds(t, d, later, "entry 8: it was there at the checkpoint and is missing")

	// Entries without a number may get another one, but for those of a copy.
	d.entries = append(d.entries, journal.Entry{Type: journal.TokenRevoked, At: fixture.Noon,
		Account: d.resellers[1].Position()})
	end := d.head
	d.write()
	last := d.head
	d.head = end
	if written := finds(t, d, ""); !strings.HasPrefix(written,
		fmt.Sprintf("resellerd checkpoint 1\njournal 7 %x\n1 ", end.Hash)) {
		t.Errorf("the checkpoint is %q", written)
	}
	var copied strings.Builder
	if _, err := audit.Run(t.Context(), d,
		audit.Options{WriteCheckpoint: &copied, AsCopied: true, Report: func(string) {}}); err != nil ||
		!strings.HasPrefix(copied.String(), fmt.Sprintf("resellerd checkpoint 1\njournal 8 %x\n1 ", last.Hash)) {
		t.Errorf("the checkpoint of a copy is %q, %v", &copied, err)
	}

	_, records, _ := strings.Cut(checkpoint, "\n")
	_, records, _ = strings.Cut(records, "\n")
	for _, wrong := range []string{"", "journal 0", "journal -1 00", fmt.Sprintf("journal 0 %x", end.Hash),
		fmt.Sprintf("journal 07 %x", end.Hash), fmt.Sprintf("journal 7 %X", end.Hash[:31])} {
		_, err := audit.Run(t.Context(), d,
			audit.Options{Checkpoint: strings.NewReader("resellerd checkpoint 1\n" + wrong + "\n" + records),
				Report: func(string) {}})
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// A delivery ahead of the journal would leave out the next entries.
func TestAnAuditFindsDeliveriesAheadOfTheJournal(t *testing.T) {
	d := newDiary(t)
	webhooksOf(t, d.Store, []webhook.Webhook{{ID: 1, Account: 2, Slot: 1}, {ID: 2, Account: 2, Slot: 2}},
		webhook.Progress{Webhook: 1, Cursor: 7}, webhook.Progress{Webhook: 2, Cursor: 8})
	finds(t, d, "", "webhook_progress 2: it is at entry 8, and the journal ends with entry 7")
}

// A change has a larger version than the entry before, a report of a state the same version.
func TestEntriesWithoutAChangeHaveTheVersionBefore(t *testing.T) {
	sold := func(of journal.Type, version int64) journal.Entry {
		return journal.Entry{Type: of, At: fixture.Noon, Account: reseller.Position{ID: 2, Ancestors: []int64{1}}, Line: 1,
			Version: version}
	}
	account := func(of journal.Type, version int64) journal.Entry {
		return journal.Entry{Type: of, At: fixture.Noon, Account: reseller.Position{ID: 2, Ancestors: []int64{1}},
			Version: version}
	}
	finding := func(seq, version, before int64) string {
		return fmt.Sprintf("entry %d: it has version %d of what an entry before it has version %d of", seq, version, before)
	}
	for what, c := range map[string]struct {
		entries []journal.Entry // from 8 on: the line has version 1 at that time, and the account has version 4
		want    []string
	}{
		"a reminder of a line": {[]journal.Entry{sold(journal.LineExpiring, 1), sold(journal.LineExpiring, 1),
			sold(journal.LineExpired, 1)}, nil},
		"an alert of a balance": {[]journal.Entry{
			account(journal.BalanceLow, 4), account(journal.ResellerUpdated, 5), account(journal.BalanceRecovered, 5),
			account(journal.BalanceLow, 7),
		}, nil},
		"what is older": {[]journal.Entry{sold(journal.LineExpired, 2), sold(journal.LineExpiring, 1),
			account(journal.BalanceLow, 3)}, []string{
			finding(9, 1, 2), finding(10, 3, 4),
		}},
		"a change with the version of an alert": {[]journal.Entry{account(journal.BalanceLow, 5),
			account(journal.ResellerUpdated, 5)}, []string{finding(9, 5, 5)}},
	} {
		t.Run(what, func(t *testing.T) {
			d := newDiary(t)
			expect.Equal(t, d.entries[6].Version, 4, "the account's version")
			d.entries = append(d.entries, c.entries...)
			d.write()
			finds(t, d, "", c.want...)
		})
	}
}
