package lines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// row is a line to import, whose name and external id are made from a number.
func row(n int, changes ...func(*lines.ImportRow)) lines.ImportRow {
	r := lines.ImportRow{
		Row: n, Username: fixture.Name(fmt.Sprintf("There.%d", n)), Password: profile.NewSecret(fmt.Sprintf("canary-%d", n)),
		ExternalID: fixture.Text(fmt.Sprintf("there-%d", n)), ExpiresAt: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func rowsOf(n int) (all []lines.ImportRow) {
	for i := range n {
		all = append(all, row(i+1))
	}
	return all
}

func runImport(h *kit.Harness, as application.Call, rows []lines.ImportRow,
	dry bool) (report lines.ImportReport, err error) {
	h.T.Helper()
	_, err = h.Lines.Import(h.T.Context(), as, lines.Import{Rows: rows, DryRun: dry}, kit.Into(&report))
	return report, err
}

// importing fails unless the report is as it should be: created, unchanged, and the codes of those that are refused, by
// their rows.
func checkImport(h *kit.Harness, rows []lines.ImportRow, dry bool, created, unchanged int, refused map[int]string) {
	h.T.Helper()
	report, err := runImport(h, kit.Call(h.Admin), rows, dry)
	require.NoError(h.T, err)
	codes := map[int]string{}
	for _, r := range report.Refused {
		known, _ := errors.AsType[*fault.Fault](r.Reason)
		codes[r.Row] = known.Code()
	}
	if refused == nil {
		refused = map[int]string{}
	}
	expect.Equal(h.T, [2]int{report.Created, report.Unchanged}, [2]int{created, unchanged}, "dry run %t: it tells", dry)
	expect.DeepEqual(h.T, codes, refused, "dry run %t: refused", dry)
	if h.T.Failed() {
		h.T.FailNow() // wrong decisions may be repeated for ever
	}
}

// importedLine returns the id of the line of a row.
func importedLine(h *kit.Harness, n int) int64 {
	h.T.Helper()
	for _, l := range h.Recorded().Lines {
		if l.ExternalID == row(n).ExternalID {
			return l.ID
		}
	}
	h.T.Fatalf("row %d became no line", n)
	return 0
}

func TestAnImportCreatesOfficialLinesForNothing(t *testing.T) {
	h := kit.New(t, application.Policy{})
	owner, _ := h.Create(h.Admin, "owner", "5", true)
	before := h.Recorded()
	all := []lines.ImportRow{
		row(1, func(r *lines.ImportRow) {
			r.Owner, r.Suspended = owner.ID(), true
			r.Description = line.Description{Notes: new(fixture.Text("notes")), Metadata: new(fixture.Metadata("plan", "gold"))}
		}),
		row(2, func(r *lines.ImportRow) { r.ExpiresAt = h.Now.AddDate(-1, 0, 0) }),
	}
	as := kit.Call(h.Admin)
	as.Address = "2001:db8::7"
	report, err := runImport(h, as, all, false)
	require.NoError(t, err)
	expect.DeepEqual(t, report, lines.ImportReport{Created: 2})
	after := h.Recorded()
	expect.Equal(t, len(after.Movements), len(before.Movements), "movements")
	expect.Equal(t, h.Balance(owner.ID()), "5", "the owner has")
	told := after.Entries[len(before.Entries):]
	if len(told) != 2 {
		t.Fatalf("it has %d entries", len(told))
	}
	for i, e := range told {
		l, is := after.Lines[e.Line]
		want := all[i]
		if !is || l.Trial || l.Origin != line.Imported || l.Charge != 0 || l.PlatformID == 0 || l.Username != want.Username ||
			l.ExternalID != want.ExternalID ||
			!l.ExpiresAt.Equal(want.ExpiresAt) || l.Suspended != want.Suspended {
			t.Errorf("row %d became %+v", i+1, l)
		}
		if e.Type != journal.LineImported || e.Movement != nil || e.Account.ID != l.Owner.ID || e.Version != 1 ||
			e.Actor.Account != h.Admin.Reseller() ||
			e.Actor.Address != "2001:db8::7" || e.Request != as.Request || e.Datum(journal.LineOrigin) != "imported" ||
			strings.Contains(fmt.Sprintf("%+v", e), "canary") {
			t.Errorf("row %d has the entry %+v", i+1, e)
		}
		shown, err := h.Lines.Get(t.Context(), kit.Call(h.Admin), e.Line)
		require.NoError(t, err)
		expect.Equal(t, shown.Password.Reveal(), want.Password.Reveal(), "row %d has another password", i+1)
	}
	first := after.Lines[told[0].Line]
	expect.Equal(t, first.Owner.ID, owner.ID(), "the first is of account")
	expect.Equal(t, first.Country, fixture.Text("BR"), "the first is of country")
}

func TestRowsAreDecidedInTheirOrder(t *testing.T) {
	h := kit.New(t, application.Policy{})
	owner, master := h.Create(h.Admin, "owner", "5", true)
	other, _ := h.Create(h.Admin, "other", "5", true)
	issued := h.Trial(master)
	require.NoError(t, kit.ErrorOf(h.Lines.Describe(t.Context(), kit.Call(master),
		lines.Edit{ID: issued.ID(), Description: line.Description{ExternalID: new(fixture.Text("there-90"))}},
		kit.Shown)))
	of := func(id int64) func(*lines.ImportRow) { return func(r *lines.ImportRow) { r.Owner = id } }
	named := func(n int) func(*lines.ImportRow) {
		return func(r *lines.ImportRow) { r.Username = fixture.Name(fmt.Sprintf("there.%d", n)) }
	}
	identified := func(n int) func(*lines.ImportRow) {
		return func(r *lines.ImportRow) { r.ExternalID = fixture.Text(fmt.Sprintf("there-%d", n)) }
	}
	all := []lines.ImportRow{
		row(1, of(owner.ID())),
		row(2, named(1)), // whatever its letters
		row(3, of(owner.ID()), func(r *lines.ImportRow) { *r = row(1, of(owner.ID())); r.Row = 3 }),
		row(4, of(owner.ID()), identified(1)),
		row(5, of(owner.ID()), identified(1), func(r *lines.ImportRow) {
			password := r.Password
			*r = row(1, of(owner.ID()))
			r.Row, r.Password = 5, password
		}),
		row(6, of(other.ID()), identified(1)), // of another owner
		row(7, of(77)),
		row(8, func(r *lines.ImportRow) { r.Trial = true }),
		row(9, func(r *lines.ImportRow) { r.ExpiresAt = h.Now.AddDate(10, 0, 1) }),
		row(10, func(r *lines.ImportRow) { r.Username = issued.Shown().Username }),
		row(11, of(owner.ID()), identified(90)), // which a trial has
		row(12, identified(2)),                  // of a refused row
		row(13, named(2)),
	}
	want := map[int]string{
		2: "username-taken", 4: "external-id-differs", 5: "external-id-differs", 7: "owner-not-found", 8: "line-is-trial",
		9:  "period-too-long",
		10: "username-taken", 11: "external-id-differs",
	}
	before := h.Recorded()
	checkImport(h, all, true, 4, 1, want)
	after := h.Recorded()
	expect.Equal(t, after.Changed(before), false, "a dry run has changed something")
	expect.Equal(t, len(after.Entries), len(before.Entries), "entries after a dry run")
	checkImport(h, all, false, 4, 1, want)
	again := h.Recorded()
	want[2] = "external-id-differs" // which a later row has now
	checkImport(h, all, true, 0, 5, want)
	checkImport(h, all, false, 0, 5, want)
	expect.Equal(t, h.Recorded().Changed(again), false, "an import that is repeated has changed something")
}

func TestWhoMayImport(t *testing.T) {
	h := kit.New(t, application.Policy{})
	owner, master := h.Create(h.Admin, "owner", "5", true)
	_, standard := h.Create(master, "standard", "0", false)
	for _, by := range []application.Caller{master, standard} {
		for _, dry := range []bool{false, true} {
			expect.Error(t, kit.ErrorOf(runImport(h, kit.Call(by), rowsOf(1), dry)), reseller.ErrNotAllowed)
		}
	}
	limited := access.CreatePrincipal{Kind: principal.Key, Name: "limited", Scopes: principal.Scopes(), Limit: 1}
	var made access.Principal
	require.NoError(t, kit.ErrorOf(h.Principals.Create(t.Context(), kit.Call(h.Admin), limited, kit.Into(&made))))
	expect.Error(t, kit.ErrorOf(runImport(h, kit.Call(h.ByKey(made.Key)), rowsOf(1), false)), principal.ErrBeyond)
	_, err := runImport(h, kit.Call(h.CallerOf(h.Keyring.Issue(ports.Token{Reseller: h.Admin.Reseller()}))), rowsOf(1), false)
	expect.Error(t, err, reseller.ErrTokenRevoked)
	expect.Equal(t, len(h.Recorded().Lines), 0, "lines were imported")
	require.NoError(t, kit.ErrorOf(h.Resellers.Block(t.Context(), kit.Call(h.Admin), resellers.Block{ID: owner.ID()}, kit.Shown)))
	// the admin acts, not the owner
	checkImport(h, []lines.ImportRow{row(1, func(r *lines.ImportRow) { r.Owner = owner.ID() })},
		false, 1, 0, nil)
	expect.Error(t, kit.ErrorOf(runImport(h, kit.Call(h.Admin), rowsOf(lines.MostImported+1), false)), lines.ErrTooManyRows)
	checkImport(h, nil, false, 0, 0, nil)
	checkImport(h, nil, true, 0, 0, nil)
}

// cut is a store whose commits fail, except for the first few.
type cut struct {
	ports.Store
	left int
}

func (c *cut) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	if c.left--; c.left < 0 {
		return ports.ErrUnavailable
	}
	return c.Store.Update(ctx, work, hints...)
}

// TestAnImportThatEndedEarlyGoesOn ends it after each of its transactions, the receipt's included.
func TestAnImportThatEndedEarlyGoesOn(t *testing.T) {
	for commits := range 4 {
		h := kit.New(t, application.Policy{})
		whole := h.Service
		h.Service = h.On(&cut{h.Dependencies.Store, commits}, application.Policy{TrialDuration: time.Hour})
		as := application.Call{Caller: h.Admin, Key: "key", Content: []byte("110 rows")}
		expect.Error(t, kit.ErrorOf(runImport(h, as, rowsOf(110), false)), application.ErrUnavailable)
		kept := len(h.Recorded().Lines)
		expect.Equal(t, kept, min(50*commits, 110), "after %d commits", commits)
		h.Service = whole
		report, err := runImport(h, as, rowsOf(110), false)
		require.NoError(t, err)
		expect.DeepEqual(t, report, lines.ImportReport{Created: 110 - kept, Unchanged: kept}, "after %d", commits)
		expect.Equal(t, len(h.Recorded().Lines), 110, "after %d commits the lines in the end", commits)
	}
}

// rival is a store in which another request writes something first, right before the first line is stored.
type rival struct {
	ports.Store
	first   func()
	updates int
}

func (r *rival) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	r.updates++
	if first := r.first; first != nil {
		r.first = nil
		first()
	}
	return r.Store.Update(ctx, work, hints...)
}

func TestAnotherRequestIsFirst(t *testing.T) {
	h := kit.New(t, application.Policy{})
	sound, d := h.Service, h.Dependencies
	taken := []lines.ImportRow{
		row(2),
		row(30, func(r *lines.ImportRow) { r.ExternalID = fixture.Text("another") }),
		row(40, func(r *lines.ImportRow) { r.Username = fixture.Name("another") }),
	}
	met := &rival{Store: d.Store, first: func() {
		var report lines.ImportReport
		require.NoError(t, kit.ErrorOf(sound.Lines.Import(t.Context(), kit.Call(h.Admin), lines.Import{Rows: taken}, kit.Into(&report))))
		expect.Equal(t, report.Created, 3, "the other request creates")
	}}
	h.Service = h.On(met, application.Policy{TrialDuration: time.Hour})
	checkImport(h, rowsOf(60), false, 57, 1, map[int]string{30: "username-taken", 40: "external-id-differs"})
	expect.Equal(t, len(h.Recorded().Lines), 60, "lines")
	expect.Equal(t, met.updates, 3, "transactions, the first of them once more")
}

// A line takes over values if the import requests it, and only while no other command has changed it.
func TestALineTakesOverWhatIsImportedAgain(t *testing.T) {
	h := kit.New(t, application.Policy{})
	checkImport(h, rowsOf(6), false, 6, 0, nil)
	later := func(r *lines.ImportRow) {
		r.ExpiresAt, r.Password = r.ExpiresAt.Add(time.Hour), profile.NewSecret("canary-later")
	}
	require.NoError(t, kit.ErrorOf(h.Lines.Describe(t.Context(), kit.Call(h.Admin),
		lines.Edit{ID: importedLine(h, 2), Description: line.Description{Notes: new(fixture.Text("x"))}}, kit.Shown)))
	rows := []lines.ImportRow{
		row(1, later), row(2, later), row(3, func(r *lines.ImportRow) { r.ExpiresAt = r.ExpiresAt.Add(-time.Hour) }),
		row(4, func(r *lines.ImportRow) { r.Username = fixture.Name("there.5") }), row(5),
		row(6, func(r *lines.ImportRow) { r.Suspended = true }), row(7),
	}
	for _, c := range []struct {
		update, dry                 bool
		created, updated, unchanged int
		refused                     int
	}{
		{false, true, 1, 0, 1, 5}, {true, true, 1, 2, 1, 3}, {true, false, 1, 2, 1, 3}, {true, false, 0, 0, 4, 3},
	} {
		var report lines.ImportReport
		require.NoError(t, kit.ErrorOf(h.Lines.Import(t.Context(), kit.Call(h.Admin),
			lines.Import{Rows: rows, Update: c.update, DryRun: c.dry}, kit.Into(&report))))
		if got := [4]int{report.Created, report.Updated, report.Unchanged, len(report.Refused)}; got != [4]int{c.created, c.updated,
			c.unchanged, c.refused} {
			t.Errorf("update %t, dry run %t: %+v, want %+v", c.update, c.dry, report, c)
		}
		if want := "A line of the same owner has this external_id, with another expDate, notes, password." +
			" Here it expires 2027-01-31T00:00:00Z. It was changed here since its import: it keeps its own."; c.update &&
			report.Refused[0].Reason.Error() != want {
			t.Errorf("the first is refused with %q, want %q", report.Refused[0].Reason, want)
		}
	}
	told := h.Recorded().Entries
	if e := told[len(told)-3]; e.Type != journal.LineReimported || e.Line != importedLine(h, 1) || e.Version != 2 ||
		len(e.Changes) != 2 {
		t.Errorf("its entry is %+v", e)
	}
	got, err := h.Lines.Get(t.Context(), kit.Call(h.Admin), importedLine(h, 1))
	require.NoError(t, err)
	if s := got.State(); s.Version != 2 || !s.ExpiresAt.Equal(row(1).ExpiresAt.Add(time.Hour)) ||
		got.Password.Reveal() != "canary-later" {
		t.Errorf("it is %+v", s)
	}
}

// The import had decided that the line takes over other values.
func TestLineThatChangedAfterTheDecisionKeepsItsValues(t *testing.T) {
	h := kit.New(t, application.Policy{})
	checkImport(h, rowsOf(1), false, 1, 0, nil)
	sound, d := h.Service, h.Dependencies
	met := &rival{Store: d.Store, first: func() {
		require.NoError(t, kit.ErrorOf(sound.Lines.Suspend(t.Context(), kit.Call(h.Admin), lines.Suspend{ID: importedLine(h, 1)}, kit.Shown)))
	}}
	h.Service = h.On(met, application.Policy{TrialDuration: time.Hour})
	var report lines.ImportReport
	rows := []lines.ImportRow{row(1, func(r *lines.ImportRow) { r.ExpiresAt = r.ExpiresAt.Add(time.Hour) })}
	require.NoError(t, kit.ErrorOf(h.Lines.Import(t.Context(), kit.Call(h.Admin),
		lines.Import{Rows: rows, Update: true}, kit.Into(&report))))
	if report.Updated != 0 || len(report.Refused) != 1 ||
		!strings.Contains(report.Refused[0].Reason.Error(), "changed here") {
		t.Errorf("%+v", report)
	}
}
