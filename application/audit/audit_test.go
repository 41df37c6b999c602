package audit_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/application/audit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
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

func (a askedAudit) ResellersByID(ctx context.Context,
	ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	*a.asked++
	return a.Records.ResellersByID(ctx, ids)
}

func (a askedAudit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	*a.asked++
	return a.Records.LinesByID(ctx, ids)
}

func (a askedAudit) TombstonesByLine(ctx context.Context,
	lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	*a.asked++
	return a.Records.TombstonesByLine(ctx, lines)
}

func (a askedAudit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	*a.asked++
	return a.Records.MovementsByID(ctx, ids)
}

func (a askedAudit) MovementsByPosting(ctx context.Context,
	numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	*a.asked++
	return a.Records.MovementsByPosting(ctx, numbers)
}

// manyMasters is how many resellers a ledger of several pages has below its admin, which is reseller 1. Reseller 2 is
// funded by movement 1, the next by movement 2 and so on; then each pays for a line.
const manyMasters = 1_100

// quiet are the options of an audit of which only the verdict counts.
var quiet = audit.Options{Report: func(string) {}}

// ledger is what a test stores, ids from 1 on.
type ledger struct {
	*memstore.Store
	fixture.Ledger
	root      *reseller.Reseller
	resellers []*reseller.Reseller
	lines     []*line.Line
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{Store: memstore.New(), root: fixture.Admin(1)}
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	l.resellers = []*reseller.Reseller{l.root}
	return l
}

// master adds one below the root, which funds it.
func (l *ledger) master() {
	a := fixture.Master(l.root, int64(len(l.resellers))+1)
	l.Fund(l.root, a, "10")
	l.resellers = append(l.resellers, a)
}

// official adds a line that its owner paid for.
func (l *ledger) official(owner *reseller.Reseller) *line.Line {
	added := fixture.Trial(owner, int64(len(l.lines))+1)
	l.Activate(added, owner, "0.5")
	l.lines = append(l.lines, added)
	return added
}

// store keeps all but the movements that are left out, and gives every id.
func (l *ledger) store(t *testing.T, leftOut ...int64) {
	t.Helper()
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, a := range l.resellers {
			require.NoError(t, tx.Resellers.Insert(ctx, a))
		}
		for _, added := range l.lines {
			require.NoError(t, tx.Lines.Insert(ctx, added))
		}
		for _, m := range l.Movements {
			if !slices.Contains(leftOut, m.ID) {
				require.NoError(t, tx.Ledger.Append(ctx, m))
			}
		}
		return nil
	}))
	for range max(len(l.resellers), len(l.lines), len(l.Movements)) {
		for _, of := range ports.Sequences() {
			require.NoError(t, errorOf(l.NextID(t.Context(), of)))
		}
	}
}

// ledgerOfPages stores such a ledger without the movements that are left out.
func ledgerOfPages(t *testing.T, leftOut ...int64) (archive ports.Archive, asked *int) {
	t.Helper()
	l := newLedger(t)
	for range manyMasters {
		l.master()
	}
	for _, owner := range l.resellers[1:] {
		l.official(owner)
	}
	l.store(t, leftOut...)
	asked = new(int)
	return askedStore{l, asked}, asked
}

// errorOf returns the error that comes with a result.
func errorOf[R any](_ R, err error) error { return err }

// run runs an audit, and returns what it finds as well.
func run(t *testing.T, archive ports.Archive, o audit.Options) (v audit.Verdict, findings []string, err error) {
	o.Report = func(finding string) { findings = append(findings, finding) }
	v, err = audit.Run(t.Context(), archive, o)
	return v, findings, err
}

// finds fails unless an audit finds exactly this.
func finds(t *testing.T, archive ports.Archive, checkpoint string, want ...string) (written string) {
	t.Helper()
	var out bytes.Buffer
	o := audit.Options{WriteCheckpoint: &out}
	if checkpoint != "" {
		o.Checkpoint = strings.NewReader(checkpoint)
	}
	_, findings, err := run(t, archive, o)
	require.NoError(t, err)
	expect.Elements(t, findings, want, "found")
	return out.String()
}

func TestAnAuditOfManyPagesAsksForWhatAPageNamesAtOnce(t *testing.T) {
	ledger, asked := ledgerOfPages(t)
	checkpoint := finds(t, ledger, "")
	finds(t, ledger, checkpoint)
	// The first page of movements names resellers alone, the other two lines and
	// earlier movements besides. Each page of resellers names resellers and movements,
	// and each page of lines resellers: their charges were seen with the movements. In the
	// checkpoint the admin alone has no movement.
	const once = 1 + 2*3 + 2*2 + 2*1
	expect.Equal(t, *asked, once+once+3, "two audits asked")
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
	_, findings, err := run(t, whole, audit.Options{Checkpoint: strings.NewReader(damaged)})
	expect.Equal(t, len(findings), 1, "found %q", findings)
	expect.Equal(t, err == nil, false, "the checkpoint is read whole")
}

// TestAnAuditTellsADeletionFromADisappearance deletes a line that was paid for, and makes another one disappear.
func TestAnAuditTellsADeletionFromADisappearance(t *testing.T) {
	l := newLedger(t)
	deleted, gone := l.official(l.root), l.official(l.root)
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		require.NoError(t, errorOf(tx.Lines.Get(ctx, deleted.ID())))
		return tx.Lines.Delete(ctx, deleted.Tombstone(l.root.ID(), fixture.Noon.Add(time.Hour)))
	}))
	finds(t, l, "")
	lacking := lineless{l, gone.ID()}
	finds(t, lacking, "", fmt.Sprintf("movement %d: line %d, which it paid for, is missing and has left no tombstone",
		gone.State().Charge, gone.ID()))
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

func TestAnAuditFindsWhatAForgedResellerContradicts(t *testing.T) {
	for how, c := range map[string]struct {
		forge func(*reseller.State)
		want  []string
	}{
		"a copied password": {func(s *reseller.State) {
			s.PasswordHash = fixture.Admin(1).PasswordHash()
		}, []string{"account 3: it has the password hash of account 1"}},
		"a password of its own": {func(s *reseller.State) { s.PasswordHash = "another" }, nil},
		"another key": {func(s *reseller.State) { s.Username = profile.RestoreUsername(s.Username.String(), "other") },
			[]string{`account 3: its name "reseller-3" is not what is compared as "other"`}},
	} {
		t.Run(how, func(t *testing.T) {
			l := newLedger(t)
			l.master()
			l.master()
			l.resellers[2] = fixture.Changed(l.resellers[2], c.forge)
			l.store(t)
			finds(t, l, "", c.want...)
		})
	}
}

// TestAnAuditFindsALineThatSomebodyElsePaidFor gives a line to another reseller.
func TestAnAuditFindsALineThatSomebodyElsePaidFor(t *testing.T) {
	l := newLedger(t)
	l.master()
	l.master()
	s := l.official(l.resellers[1]).State()
	s.Owner = l.resellers[2].Position()
	moved, err := line.Restore(s)
	require.NoError(t, err)
	l.lines = []*line.Line{moved}
	l.store(t)
	finds(t, l, "", "line 1: it is official, and movement 3 is not its charge")
}

// TestAnAuditFindsALineWhoseOwnerStandsElsewhere has a line name other resellers above its owner, as many as there are.
func TestAnAuditFindsALineWhoseOwnerStandsElsewhere(t *testing.T) {
	l := newLedger(t)
	l.master()
	l.master()
	owner := fixture.Master(l.resellers[1], 4)
	l.resellers = append(l.resellers, owner)
	l.lines = []*line.Line{fixture.Trial(owner, 1, func(s *line.State) { s.Owner.Ancestors = []int64{1, 3} })}
	l.store(t)
	finds(t, l, "", "line 1: its owner, account 4, does not stand where the line says")
}

// TestAnAuditFindsThatALineThatWasPaidForIsBuriedAsATrial forges the tombstone of a line that was activated and
// extended.
func TestAnAuditFindsThatALineThatWasPaidForIsBuriedAsATrial(t *testing.T) {
	l := newLedger(t)
	paid := l.official(l.root)
	l.Extend(paid, l.root, "0.5")
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		require.NoError(t, errorOf(tx.Lines.Get(ctx, paid.ID())))
		return tx.Lines.Delete(ctx, line.Tombstone{Line: paid.ID(), Actor: l.root.ID(), At: fixture.Noon.Add(time.Hour)})
	}))
	finds(t, l, "", "tombstone 1: movement 1 activated the line, and movement 0 is named as its charge",
		"tombstone 1: it is of a trial, and movement 2 paid for the line")
}

// roundStore is one whose records come again for ever, as those of a damaged file can.
type roundStore struct{ ports.Archive }

func (s roundStore) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return s.Archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return look(ctx, roundRecords{r})
	})
}

type roundRecords struct{ ports.Records }

func (r roundRecords) Lines(ctx context.Context, _ int64, limit int) ([]ports.Audited[*line.Line], error) {
	return r.Records.Lines(ctx, 0, limit)
}

func (r roundRecords) Resellers(ctx context.Context, _ int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return r.Records.Resellers(ctx, 0, limit)
}

func (r roundRecords) OfKind(ctx context.Context, of *record.Kind, _ string, limit int) ([]record.Found, error) {
	return r.Records.OfKind(ctx, of, "", limit)
}

func TestAnAuditOfRecordsThatComeAgainEnds(t *testing.T) {
	whole, _ := ledgerOfPages(t)
	stored := whole.(askedStore).Archive.(*ledger)
	require.NoError(t, stored.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return storetest.Samples.In(tx.Records).Insert(ctx, storetest.Sample{ID: 1})
	}))
	_, findings, err := run(t, roundStore{whole}, audit.Options{})
	require.NoError(t, err)
	for _, kind := range []string{"account", "line", "sample"} {
		if !slices.ContainsFunc(findings, func(finding string) bool {
			return strings.HasPrefix(finding, kind+" 1: it comes after "+kind+" 1") && strings.Contains(finding, "out of order")
		}) {
			t.Errorf("found %q, which does not say that each %s comes again", findings, kind)
		}
	}
}

// TestAnAuditNamesDamagedRecordsOfKinds flips a bit of each of two records in the file of a store. What they hold is
// told to nobody.
func TestAnAuditNamesDamagedRecordsOfKinds(t *testing.T) {
	const device, sealed = "the device of a session", "what is sealed in a sample"
	path := filepath.Join(t.TempDir(), "store.db")
	store, err := sqlitestore.Open(t.Context(), path)
	require.NoError(t, err)
	const samples = 3
	for range samples {
		require.NoError(t, errorOf(store.NextID(t.Context(), storetest.Samples.Sequence())))
	}
	id := session.IDOf("the secret of a browser")
	require.NoError(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		sessions, kept := ports.Sessions.In(tx.Records), storetest.Samples.In(tx.Records)
		require.NoError(t, sessions.Insert(ctx, session.Session{ID: id, Reseller: 1, Device: device}))
		require.NoError(t, sessions.Insert(ctx, session.Session{ID: session.IDOf("another"), Reseller: 1}))
		require.NoError(t, kept.Insert(ctx, storetest.Sample{ID: 1, Name: "one"}))
		return kept.Insert(ctx, storetest.Sample{ID: 2, Name: "two", Sealed: []byte(sealed)})
	}))
	audited := func() (audit.Verdict, []string) {
		stored, err := archive.Open(path)
		require.NoError(t, err)
		defer func() { require.NoError(t, stored.Close()) }()
		v, findings, err := run(t, stored, audit.Options{})
		require.NoError(t, err)
		return v, findings
	}
	if v, findings := audited(); len(findings) > 0 || v.Records != 2 {
		t.Fatalf("before: got %+v and found %q", v, findings)
	}
	require.NoError(t, store.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	stored := base64.StdEncoding.EncodeToString([]byte(sealed))
	for _, text := range []string{device, stored} {
		at := bytes.Index(content, []byte(text))
		if at < 0 {
			t.Fatalf("the file lacks %q", text)
		}
		content[at+1] ^= 1
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	v, findings := audited()
	want := []string{"sample 2: ", "session " + string(id) + ": "}
	if len(findings) != len(want) || v.Findings != int64(len(want)) {
		t.Fatalf("got %+v and found %q, want %q", v, findings, want)
	}
	for i, finding := range findings {
		damage, names := strings.CutPrefix(finding, want[i])
		if !names || damage == "" || strings.Contains(finding, device[2:]) || strings.Contains(finding, stored[4:]) {
			t.Errorf("found %q, want it to begin with %q and to tell nothing of the content", finding, want[i])
		}
	}
}

func TestAnAuditFindsARecordOfAKindWhoseIDWasNotGiven(t *testing.T) {
	l := newLedger(t)
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		samples := storetest.Samples.In(tx.Records)
		return errors.Join(samples.Insert(ctx, storetest.Sample{ID: 1}), samples.Insert(ctx, storetest.Sample{ID: 2}))
	}))
	finds(t, l, "", "sample 2: it has an id that was not given yet")
}

func TestAnAuditNamesARecordThatANewerVersionHasWritten(t *testing.T) {
	l := newLedger(t)
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		r, err := ports.Sessions.Stored(session.Session{ID: session.IDOf("a browser"), Reseller: 1})
		r.Payload = strings.Replace(strings.TrimSuffix(r.Payload, "}"), "{", `{"fields":99,`, 1) + `,"newest":"what is new"}`
		return errors.Join(err, tx.Records.Insert(ctx, ports.Sessions.Kind, r))
	}))
	finds(t, l, "", "session "+string(session.IDOf("a browser"))+": "+record.ErrNewer.Error())
}

// webhooksOf stores webhooks and how far their deliveries are.
func webhooksOf(t *testing.T, into *memstore.Store, all []webhook.Webhook, progress ...webhook.Progress) {
	t.Helper()
	require.NoError(t, into.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, w := range all {
			require.NoError(t, ports.Webhooks.In(tx.Records).Insert(ctx, w))
		}
		for _, p := range progress {
			require.NoError(t, ports.WebhookProgress.In(tx.Records).Insert(ctx, p))
		}
		return nil
	}))
}

// TestAnAuditFindsWhatAWebhookLacks among more than it reads at once.
func TestAnAuditFindsWhatAWebhookLacks(t *testing.T) {
	l := newLedger(t)
	for range manyMasters {
		l.master()
	}
	l.store(t)
	var all []webhook.Webhook
	var progress []webhook.Progress
	for id := range int64(manyMasters) {
		all, progress = append(all, webhook.Webhook{ID: id + 1, Account: id + 1, Slot: 1}),
			append(progress, webhook.Progress{Webhook: id + 1})
	}
	all[6].Account, all[1_049].Account = 9_999, 9_998
	webhooksOf(t, l.Store, slices.Delete(all, 63, 65), slices.Delete(progress, 1_060, 1_061)...)
	finds(t, l, "",
		"webhook 7: account 9999, whose it is, is missing", "webhook 1050: account 9998, whose it is, is missing",
		"webhook_progress 64: there is no such webhook", "webhook_progress 65: there is no such webhook",
		"webhook 1061: how far its deliveries are is missing",
	)
	v, err := audit.Run(t.Context(), l, quiet)
	expect.Error(t, err, nil, "%+v", v)
	expect.Equal(t, v.Records, 2*manyMasters-3, "%+v", v)
}

// TestAnAuditOfWebhooksTakesADamagedOneForThere, and its owner for unknown.
func TestAnAuditOfWebhooksTakesADamagedOneForThere(t *testing.T) {
	l := newLedger(t)
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		w, err := ports.Webhooks.Stored(webhook.Webhook{ID: 1, Account: 9, Slot: 1})
		require.NoError(t, err)
		w.Payload = strings.Replace(strings.TrimSuffix(w.Payload, "}"), "{", `{"fields":99,`, 1) + `,"newest":"what is new"}`
		require.NoError(t, tx.Records.Insert(ctx, ports.Webhooks.Kind, w))
		return ports.WebhookProgress.In(tx.Records).Insert(ctx, webhook.Progress{Webhook: 1})
	}))
	finds(t, l, "", "webhook 1: "+record.ErrNewer.Error())
}
