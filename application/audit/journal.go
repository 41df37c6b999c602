package audit

import (
	"context"
	"maps"
	"slices"
	"time"

	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/ports"
)

// history is the part of the journal that an audit has read so far.
type history struct {
	head     journal.Head        // of the store: entries after it have no number yet, and count in no figures
	last     journal.Head        // of the last entry that was audited
	named    numbers             // movements that entries name
	imported numbers             // lines whose import entries record
	versions map[aggregate]int64 // of recent entries
	figures  sums                // of the entries
	changes  sums                // of existing lines, by the entries
	unread   map[int64]bool      // numbers of damaged entries of the page, and of the one right before it
	findings bool                // about entries
}

// aggregate is a line, or else a reseller.
type aggregate struct{ line, reseller int64 }

// mostVersions bounds how many aggregates an audit remembers the version of.
const mostVersions = 1 << 17

// movementsOf are the operations that entries of a type name; all other types name no movement.
var movementsOf = map[journal.Type][]credit.Operation{
	journal.ResellerCreated:   {credit.Opening},
	journal.ResellerCredited:  {credit.Recharge},
	journal.ResellerReclaimed: {credit.Reclaim},
	journal.LineActivated:     {credit.Activation},
	journal.LineExtended:      {credit.Extension},
	journal.PlanChanged:       {credit.PlanChange},
}

// changesLine are the types of entries that record a change of a line, which its version counts.
var changesLine = map[journal.Type]bool{
	journal.TrialCreated: true, journal.LineActivated: true, journal.LineExtended: true, journal.PlanChanged: true,
	journal.LineUpdated:   true,
	journal.LineSuspended: true, journal.LineResumed: true, journal.LineImported: true, journal.LineReimported: true,
}

// journal audits each entry, and that the last one is the store's head.
func (a *auditor) journal(ctx context.Context) (err error) {
	h, soFar := &a.history, a.verdict.Findings
	if h.head, err = a.stored.Head(ctx); err != nil {
		return err
	}
	gone := func(n journal.Numbered) { a.nameGone(n.Line) }
	if err := each(ctx, a, entryKind, &a.verdict.Entries, a.entries, a.entry, a.namedByEntry, gone); err != nil {
		return err
	}
	if h.head.Seq > h.last.Seq && !h.unread[h.head.Seq] {
		a.Find("journal: entry %d, its last, is missing", h.head.Seq)
	}
	h.findings = a.verdict.Findings > soFar
	return nil
}

// entries reads a page, and remembers its damaged entries.
func (a *auditor) entries(ctx context.Context, after int64, limit int) ([]ports.Audited[journal.Numbered], error) {
	page, err := a.stored.Entries(ctx, after, limit)
	maps.DeleteFunc(a.history.unread, func(seq int64, _ bool) bool { return seq != after })
	for _, f := range page {
		if f.Damage != nil {
			a.history.unread[f.ID] = true
		}
	}
	return page, err
}

func (a *auditor) namedByEntry(n journal.Numbered) {
	for _, id := range [...]int64{n.Account.ID, n.Actor.Account} {
		if id != 0 {
			a.resellers.name(id)
		}
	}
	if n.Line != 0 {
		a.lines.name(n.Line)
	}
	if n.Movement != nil {
		a.movements.name(n.Movement.ID)
	}
}

// entry checks that an entry follows the one before it, and agrees with the records that it names.
func (a *auditor) entry(n journal.Numbered) {
	a.follows(n)
	a.namesMovement(n)
	a.concerns(n)
	a.versionOf(n)
	for _, c := range a.features {
		if c.Entry != nil {
			c.Entry(n)
		}
	}
	if n.Seq <= a.history.head.Seq {
		n.Figures(func(account int64, f journal.Figures) { a.history.figures.add(account, journal.DayOf(n.At), f) })
	}
}

// follows checks an entry's position in the chain.
func (a *auditor) follows(n journal.Numbered) {
	h := &a.history
	switch before := h.last; {
	case h.unread[n.Seq-1]:
		a.Find("entry %d: it can't be verified, for entry %d before it is damaged", n.Seq, n.Seq-1)
	case n.Seq != before.Seq+1:
		a.Find("entry %d: entry %d before it is missing", n.Seq, n.Seq-1)
	case !n.Follows(before):
		a.Find("entry %d: it is not what was recorded as number %d, or entry %d before it is not", n.Seq, n.Seq, before.Seq)
	case (n.Type == journal.Began) != (n.Seq == 1):
		a.Find("entry %d: a journal begins with entry 1, and with no other", n.Seq)
	case n.Type == journal.Restored && n.Epoch == before.Epoch:
		a.Find("entry %d: it begins the epoch %s again", n.Seq, n.Epoch)
	}
	h.last = n.Head
	if n.Seq == h.head.Seq && n.Head != h.head {
		a.Find("journal: entry %d is not the one that it ends with", n.Seq)
	}
}

// namesMovement checks that an entry agrees with the ledger about its movement.
func (a *auditor) namesMovement(n journal.Numbered) {
	if n.Movement == nil {
		if fits := movementsOf[n.Type]; len(fits) > 0 && n.Type != journal.ResellerCreated {
			a.Find("entry %d: %s names no movement", n.Seq, n.Type)
		}
		return
	}
	id := n.Movement.ID
	if !a.history.named.add(id) {
		a.Find("entry %d: an entry before it names movement %d, too", n.Seq, id)
	}
	m, is := a.movements.get(id)
	switch is {
	case auditing.Missing:
		a.Find("entry %d: movement %d, which it names, is missing", n.Seq, id)
	case auditing.Damaged: // reported where the movements are audited
	case auditing.There:
		same := n.Movement.Matches(m) && m.Line == n.Line && m.Actor == n.Actor.Account && m.ActorName == n.Actor.Name &&
			m.Request == n.Request && m.At.Equal(n.At)
		if !same || !slices.Contains(movementsOf[n.Type], m.Operation) {
			a.Find("entry %d: movement %d is not what it says", n.Seq, id)
		}
	}
}

// inJournal checks that an entry names a movement, if there is a journal.
func (a *auditor) inJournal(m credit.Movement) {
	if a.history.last.Seq > 0 && !a.history.named.has(m.ID) {
		a.Find("movement %d: no entry of the journal names it", m.ID)
	}
}

// concerns checks that the records of an entry, and its actor, exist or have left a tombstone.
func (a *auditor) concerns(n journal.Numbered) {
	if n.Account.ID != 0 {
		account, is := a.resellers.get(n.Account.ID)
		if is == auditing.Missing ||
			is == auditing.There && !slices.Equal(account.Position().Ancestors, n.Account.Ancestors) {
			a.Find("entry %d: account %d, which it concerns, is at another position than the entry says", n.Seq, n.Account.ID)
		}
	}
	if id := n.Actor.Account; id != 0 && id != n.Account.ID {
		if _, is := a.resellers.get(id); is == auditing.Missing {
			a.Find("entry %d: account %d, which acted, is missing", n.Seq, id)
		}
	}
	if n.Line == 0 {
		return
	}
	about, line := a.lines.get(n.Line)
	if line == auditing.There && changesLine[n.Type] {
		a.history.changes.count(n.Line, 1)
	}
	if n.Type == journal.LineImported {
		a.imports(n, about, line)
	}
	if n.Type == journal.LineReimported && !a.history.imported.has(n.Line) {
		a.Find("entry %d: line %d, which was imported again, was not imported before", n.Seq, n.Line)
	}
	switch _, is := a.tombstones.get(n.Line); {
	case line == auditing.Missing && is == auditing.Missing:
		a.Find("entry %d: line %d, which it is about, is missing and has left no tombstone", n.Seq, n.Line)
	case line != auditing.Missing && n.Type == journal.LineDeleted:
		a.Find("entry %d: line %d, whose deletion it is, still exists", n.Seq, n.Line)
	}
}

// imports checks that the imported line of an entry is marked as imported, belongs to the entry's account, and has one
// such entry. The tombstone of an imported line names no charge.
func (a *auditor) imports(n journal.Numbered, of *line.Line, is auditing.Presence) {
	if !a.history.imported.add(n.Line) {
		a.Find("entry %d: an entry before it records the import of line %d, too", n.Seq, n.Line)
	}
	if is == auditing.There {
		if s := of.State(); s.Origin != line.Imported || s.Owner.ID != n.Account.ID {
			a.Find("entry %d: line %d, whose import it is, is not an imported one of account %d", n.Seq, n.Line, n.Account.ID)
		}
	}
	if t, left := a.tombstones.get(n.Line); is == auditing.Missing && left == auditing.There && t.Charge != 0 {
		a.Find("tombstone %d: its line was imported, and movement %d is named as its charge", n.Line, t.Charge)
	}
}

// tellsOnly are the types of entries that report a state of a line or a reseller and change nothing: their version is
// the version of the change before.
var tellsOnly = map[journal.Type]bool{journal.LineExpiring: true, journal.LineExpired: true, journal.BalanceLow: true,
	journal.BalanceRecovered: true}

// versionOf checks that the version of a line or a reseller is larger than in the entry before about it, if that is
// remembered. If the entry records no change the version must be the same.
func (a *auditor) versionOf(n journal.Numbered) {
	of := aggregate{line: n.Line}
	if n.Line == 0 {
		of.reseller = n.Account.ID
	}
	if of == (aggregate{}) || n.Version == 0 {
		return
	}
	versions := a.history.versions
	before, known := versions[of]
	if known && (n.Version < before || n.Version == before && !tellsOnly[n.Type]) {
		a.Find("entry %d: it has version %d of what an entry before it has version %d of", n.Seq, n.Version, before)
	}
	if !known && len(versions) == mostVersions {
		clear(versions)
	}
	versions[of] = n.Version
}

// recount checks that the figures of each account and day equal the sums of the entries, by sums alone. If these differ
// it reads the journal again, to name the accounts.
func (a *auditor) recount(ctx context.Context) error {
	stored := newSums()
	err := a.days(ctx, func(f ports.DayFigures) {
		if f.IsZero() {
			a.Find("account %d: it has figures of %s, and did nothing then", f.Account, day(f.Day))
		}
		stored.add(f.Account, f.Day, f.Figures)
	})
	if err != nil {
		return err
	}
	wrong := stored.differences(a.history.figures)
	if len(wrong) == 0 || a.history.findings { // figures of a damaged journal would add nothing
		return nil
	}
	return a.nameFigures(ctx, wrong)
}

// changed checks that each existing line has changed as often as entries record, as recount does.
func (a *auditor) changed(ctx context.Context) error {
	if a.history.last.Seq == 0 || a.history.findings {
		return nil
	}
	wrong := a.changes.differences(a.history.changes)
	if len(wrong) == 0 {
		return nil
	}
	told := map[int64]int64{}
	among := func(line int64) bool { return slices.Contains(wrong, a.changes.place(accountDay{account: line})) }
	if err := a.again(ctx, func(n journal.Numbered) {
		if changesLine[n.Type] && among(n.Line) {
			told[n.Line]++
		}
	}); err != nil {
		return err
	}
	found := 0
	for after := int64(0); found < mostFigures; {
		page, err := a.stored.Lines(ctx, after, auditing.PageSize)
		a.saw(len(page))
		if err != nil || len(page) == 0 || page[0].ID <= after {
			return err
		}
		after = page[len(page)-1].ID
		for _, f := range page {
			if f.Damage != nil || !among(f.ID) {
				continue
			}
			if is := f.Record.State().Version; is != told[f.ID] && found < mostFigures {
				found++
				a.Find("line %d: it has changed %d times, and %d entries of the journal record a change", f.ID, is, told[f.ID])
			}
		}
	}
	return nil
}

// again reads the journal once more.
func (a *auditor) again(ctx context.Context, each func(n journal.Numbered)) error {
	for after := int64(0); ; {
		page, err := a.stored.Entries(ctx, after, auditing.PageSize)
		a.saw(len(page))
		if err != nil || len(page) == 0 || page[0].ID <= after {
			return err
		}
		after = page[len(page)-1].ID
		for _, f := range page {
			if f.Damage == nil {
				each(f.Record)
			}
		}
	}
}

// mostFigures bounds how many wrong figures, and lines, are reported one by one: more would add nothing.
const mostFigures = 20

// nameFigures names the accounts and the days of wrong figures among those of some sums.
func (a *auditor) nameFigures(ctx context.Context, wrong []int) error {
	due := map[accountDay]journal.Figures{}
	among := func(of accountDay) bool { return slices.Contains(wrong, a.history.figures.place(of)) }
	err := a.again(ctx, func(n journal.Numbered) {
		if n.Seq > a.history.head.Seq {
			return
		}
		n.Figures(func(account int64, more journal.Figures) {
			if of := (accountDay{account, journal.DayOf(n.At)}); among(of) {
				due[of] = due[of].Plus(more)
			}
		})
	})
	if err != nil {
		return err
	}
	found := 0
	differs := func(of accountDay, is, due journal.Figures) {
		if found++; found <= mostFigures {
			a.Find("account %d: its figures of %s are %s, and the entries of the journal make %s", of.account,
				day(of.day), is, due)
		}
	}
	err = a.days(ctx, func(f ports.DayFigures) {
		of := accountDay{f.Account, f.Day}
		if !among(of) {
			return
		}
		if !f.Equal(due[of]) {
			differs(of, f.Figures, due[of])
		}
		delete(due, of)
	})
	if err != nil {
		return err
	}
	for _, of := range inOrder(due) {
		differs(of, journal.Figures{}, due[of])
	}
	if more := found - mostFigures; more > 0 {
		a.Find("journal: %d more figures of accounts and days are not what its entries make", more)
	}
	return nil
}

// days reads all figures. In a damaged store they may be out of order: that is a finding, and days ends.
func (a *auditor) days(ctx context.Context, each func(f ports.DayFigures)) error {
	for last := (ports.DayFigures{}); ; {
		page, err := a.stored.Figures(ctx, last.Account, last.Day, auditing.PageSize)
		a.saw(len(page))
		if err != nil || len(page) == 0 {
			return err
		}
		for _, f := range page {
			if f.Account < last.Account || f.Account == last.Account && !f.Day.After(last.Day) {
				a.Find("account %d: its figures of %s are out of order, and were not audited to the end", f.Account, day(f.Day))
				return nil
			}
			last = f
			each(f)
		}
	}
}

func day(begins time.Time) string { return begins.Format(time.DateOnly) }
