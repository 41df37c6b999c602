package application_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// askedStore counts how often an audit asks for records that others name.
type askedStore struct {
	ports.Archive
	asked *int
}

func (s askedStore) ViewRecords(ctx context.Context, look func(context.Context, ports.Records) error) error {
	return s.Archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return look(ctx, askedAudit{r, s.asked})
	})
}

type askedAudit struct {
	ports.Records
	asked *int
}

func (a askedAudit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	*a.asked++
	return a.Records.ResellersByID(ctx, ids)
}

func (a askedAudit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	*a.asked++
	return a.Records.LinesByID(ctx, ids)
}

func (a askedAudit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	*a.asked++
	return a.Records.TombstonesByLine(ctx, lines)
}

func (a askedAudit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	*a.asked++
	return a.Records.MovementsByID(ctx, ids)
}

func (a askedAudit) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	*a.asked++
	return a.Records.MovementsByPosting(ctx, numbers)
}

// manyMasters is how many resellers a ledger of several pages has below its admin,
// which is reseller 1. Reseller 2 is funded by movement 1, the next by movement 2 and
// so on; then each pays for a line.
const manyMasters = 1_100

// ledgerOfPages stores such a ledger without the movements that are left out.
func ledgerOfPages(t *testing.T, leftOut ...int64) (ledger ports.Archive, asked *int) {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { check(t, store.Close()) })
	now := time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)
	voucher := func(id int64) credit.Provenance {
		return credit.Provenance{ID: id, Actor: 1, Request: "request", At: now}
	}
	root := reseller.NewAdmin(reseller.NewReseller{ID: 1, Username: name(t, "root")}, now)
	resellers := []*reseller.Reseller{root}
	var movements []credit.Movement
	for id := int64(1); id <= manyMasters; id++ {
		a, _, err := root.Create(reseller.NewReseller{ID: id + 1, Username: name(t, fmt.Sprint("master", id))}, credit.Provenance{At: now})
		check(t, err)
		m, err := root.Fund(a, amount(t, "10"), voucher(id))
		check(t, err)
		resellers, movements = append(resellers, a), append(movements, m)
	}
	var lines []*line.Line
	for i, a := range resellers[1:] {
		id := int64(i) + 1
		l, err := line.NewTrial(a, line.Trial{ID: id, Username: name(t, fmt.Sprint("line", id)), Runs: time.Hour}, 0, now)
		check(t, err)
		m, err := l.Activate(a, credit.Prices()[0], line.Details{Username: name(t, fmt.Sprint("line", id))}, id, voucher(manyMasters+id))
		check(t, err)
		lines, movements = append(lines, l), append(movements, m)
	}
	check(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, a := range resellers {
			check(t, tx.Resellers.Insert(ctx, a))
		}
		for _, l := range lines {
			check(t, tx.Lines.Insert(ctx, l))
		}
		for _, m := range movements {
			if !slices.Contains(leftOut, m.ID) {
				check(t, tx.Ledger.Append(ctx, m))
			}
		}
		return nil
	}))
	for range 2 * manyMasters { // more than any kind has
		for _, of := range ports.Sequences() {
			_, err := store.NextID(t.Context(), of)
			check(t, err)
		}
	}
	asked = new(int)
	return askedStore{store, asked}, asked
}

// finds fails unless an audit finds exactly this.
func finds(t *testing.T, ledger ports.Archive, checkpoint string, want ...string) (written string) {
	t.Helper()
	var from io.Reader
	if checkpoint != "" {
		from = strings.NewReader(checkpoint)
	}
	var findings []string
	var out bytes.Buffer
	_, err := application.Audit(t.Context(), ledger, from, &out, func(finding string) { findings = append(findings, finding) })
	check(t, err)
	if !slices.Equal(findings, want) {
		t.Errorf("found %q, want %q", findings, want)
	}
	return out.String()
}

func TestAnAuditOfManyPagesAsksForWhatAPageNamesAtOnce(t *testing.T) {
	ledger, asked := ledgerOfPages(t)
	checkpoint := finds(t, ledger, "")
	finds(t, ledger, checkpoint)
	// The first page of movements names resellers alone, the other two lines and
	// earlier movements besides. Each page of resellers names resellers and movements,
	// as each page of lines does. In the checkpoint the admin alone has no movement.
	const once = 1 + 2*3 + 2*2 + 2*2
	if want := once + once + 3; *asked != want {
		t.Errorf("two audits asked %d times for what was named, want %d", *asked, want)
	}
}

func TestAnAuditFindsWhatIsMissingFromOtherPages(t *testing.T) {
	whole, _ := ledgerOfPages(t)
	checkpoint := finds(t, whole, "")

	torn, _ := ledgerOfPages(t, 7, manyMasters+1_050)
	finds(t, torn, checkpoint,
		"movement 1107: it is number 2 of account 8, and number 1 is missing",
		"account 1051: its movement number 2, the last, is missing",
		"line 1050: it is official, and movement 2150, its charge, is missing",
		"account 1051: its movement number 2 was there at the checkpoint and is missing",
	)

	last := strings.LastIndex(checkpoint, fmt.Sprintf("\n%d 2 ", manyMasters+1))
	finds(t, whole, checkpoint[:last]+strings.Replace(checkpoint[last:], " 9.5 ", " 9 ", 1),
		"movement 2200: number 2 of account 1101 is not what it was at the checkpoint")
}

func TestWhatACheckpointShowsIsFoundBeforeItsDamage(t *testing.T) {
	whole, _ := ledgerOfPages(t)
	checkpoint := finds(t, whole, "")
	damaged := strings.Replace(checkpoint, " 9.5 ", " 9 ", 1)
	damaged = damaged[:len(damaged)/2]
	var findings []string
	_, err := application.Audit(t.Context(), whole, strings.NewReader(damaged), nil, func(finding string) { findings = append(findings, finding) })
	if err == nil || len(findings) != 1 {
		t.Errorf("found %q and the error %v, want one finding and an error", findings, err)
	}
}

// TestAnAuditTellsADeletionFromADisappearance deletes a line that was paid for, and
// makes another one disappear.
func TestAnAuditTellsADeletionFromADisappearance(t *testing.T) {
	w := newWorld(t, application.Policy{})
	official := func() application.Line {
		trial := w.trial(w.admin)
		l, err := w.activate(w.admin, w.activation(trial.ID(), trial.State().Username.String(), "1"))
		check(t, err)
		return l
	}
	deleted, gone := official(), official()
	w.now = w.now.Add(time.Hour)
	_, err := w.DeleteLine(t.Context(), call(w.admin), deleted.ID(), shown)
	check(t, err)
	finds(t, w.archive, "")
	check(t, w.archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found, err := r.Tombstones(ctx, 0, 10)
		want := line.Tombstone{Line: deleted.ID(), Charge: deleted.State().Charge, Actor: w.admin.Reseller, At: w.now}
		if len(found) != 1 || found[0].Record != want {
			t.Errorf("the tombstones are %+v, want %+v", found, want)
		}
		return err
	}))
	lacking := lineless{w.archive, gone.ID()}
	finds(t, lacking, "", fmt.Sprintf("movement %d: line %d, which it paid for, is missing and has left no tombstone", gone.State().Charge, gone.ID()))

	// Before deletions left tombstones nobody could tell.
	older := lineless{sinceStore{w.archive, gone.State().UpdatedAt.Add(time.Millisecond)}, gone.ID()}
	finds(t, older, "")
	v, err := application.Audit(t.Context(), older, nil, nil, func(string) {})
	if err != nil || v.Unrecorded != 1 || v.Tombstones != 1 {
		t.Errorf("got %+v, %v", v, err)
	}
	atOnce := lineless{sinceStore{w.archive, gone.State().UpdatedAt}, gone.ID()}
	if v, err := application.Audit(t.Context(), atOnce, nil, nil, func(string) {}); err != nil || v.Findings != 1 || v.Unrecorded != 0 {
		t.Errorf("of the very instant: got %+v, %v", v, err)
	}
}

// lineless is a store that lacks a line.
type lineless struct {
	ports.Archive
	id int64
}

func (l lineless) ViewRecords(ctx context.Context, look func(context.Context, ports.Records) error) error {
	return l.Archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return look(ctx, linelessAudit{r, l.id})
	})
}

type linelessAudit struct {
	ports.Records
	id int64
}

func (l linelessAudit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	page, err := l.Records.Lines(ctx, after, limit)
	return slices.DeleteFunc(page, func(f ports.Audited[*line.Line]) bool { return f.ID == l.id }), err
}

func (l linelessAudit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	found, err := l.Records.LinesByID(ctx, ids)
	delete(found, l.id)
	return found, err
}

// sinceStore is a store whose deletions leave tombstones since an instant.
type sinceStore struct {
	ports.Archive
	since time.Time
}

func (s sinceStore) ViewRecords(ctx context.Context, look func(context.Context, ports.Records) error) error {
	return s.Archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return look(ctx, sinceExport{r, s.since})
	})
}

type sinceExport struct {
	ports.Records
	since time.Time
}

func (s sinceExport) Origin(ctx context.Context) (ports.Origin, error) {
	origin, err := s.Records.Origin(ctx)
	origin.TombstonesSince = s.since
	return origin, err
}

func TestAnAuditFindsWhatAForgedResellerContradicts(t *testing.T) {
	w := busy(t)
	var admin *reseller.Reseller
	check(t, w.outside.Store.View(t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		admin, err = s.Resellers.Get(ctx, w.admin.Reseller)
		return err
	}))
	for how, c := range map[string]struct {
		forge func(*reseller.State)
		want  []string
	}{
		"a copied password": {func(s *reseller.State) {
			if s.ID == 3 {
				s.PasswordHash = admin.PasswordHash()
			}
		}, []string{"account 3: it has the password hash of account 1"}},
		"a password of its own": {func(s *reseller.State) {
			if s.ID == 3 {
				s.PasswordHash = "another"
			}
		}, nil},
		"another key": {func(s *reseller.State) {
			if s.ID == 3 {
				s.Username = profile.RestoreUsername(s.Username.String(), "other")
			}
		}, []string{`account 3: its name "seller" is not what is compared as "other"`}},
	} {
		store := forged{w.archive, c.forge}
		t.Run(how, func(t *testing.T) {
			finds(t, store, "", c.want...)
		})
	}
}
