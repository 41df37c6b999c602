package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application/audit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// manyMasters is how many resellers a ledger of several pages has below its admin, which is reseller 1. Reseller 2 is
// funded by movement 1, the next by movement 2 and so on; then each pays for a line.
const manyMasters = 1_100

// quiet are the options of an audit of which only the verdict counts.
var quiet = audit.Options{Report: func(string) {}}

// ledger is the content of a test's store, with ids from 1 on.
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

// master adds a master below the root, which funds it.
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

// store stores everything but the movements that are left out, and assigns every id.
func (l *ledger) store(t *testing.T, leftOut ...int64) {
	t.Helper()
	l.storeIn(t, l.Store, leftOut...)
}

func (l *ledger) storeIn(t *testing.T, s ports.Store, leftOut ...int64) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
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
			require.NoError(t, errorOf(s.NextID(t.Context(), of)))
		}
	}
}

// ledgerOfPages stores such a ledger without the movements that are left out.
func ledgerOfPages(t *testing.T, leftOut ...int64) *ledger {
	t.Helper()
	l := newLedger(t)
	for range manyMasters {
		l.master()
	}
	for _, owner := range l.resellers[1:] {
		l.official(owner)
	}
	l.store(t, leftOut...)
	return l
}

// errorOf returns the error of a result.
func errorOf[R any](_ R, err error) error { return err }

// run returns what an audit finds.
func run(t *testing.T, archive ports.Archive, o audit.Options) (findings []string, err error) {
	o.Report = func(finding string) { findings = append(findings, finding) }
	_, err = audit.Run(t.Context(), archive, o)
	return findings, err
}

// finds fails unless an audit finds exactly this.
func finds(t *testing.T, archive ports.Archive, checkpoint string, want ...string) (written string) {
	t.Helper()
	var out bytes.Buffer
	o := audit.Options{WriteCheckpoint: &out}
	if checkpoint != "" {
		o.Checkpoint = strings.NewReader(checkpoint)
	}
	findings, err := run(t, archive, o)
	require.NoError(t, err)
	expect.Elements(t, findings, want, "found")
	return out.String()
}

func TestAnAuditFindsWhatIsMissingFromOtherPages(t *testing.T) {
	whole := ledgerOfPages(t)
	checkpoint := finds(t, whole, "")

	torn := ledgerOfPages(t, 7, manyMasters+1_050)
	finds(t, torn, checkpoint,
		"movement 1107: it is number 2 of account 8, and number 1 is missing",
		"account 1051: its movement number 2, the last, is missing",
		"line 1050: it is official, and movement 2150, its charge, is missing",
		"account 1051: its movement number 2 was there at the checkpoint and is missing",
	)

	last := strings.LastIndex(checkpoint, fmt.Sprintf("\n%d 2 ", manyMasters+1))
	finds(t, whole, checkpoint[:last]+strings.Replace(checkpoint[last:], " 9.5 ", " 9 ", 1),
		"movement 2200: number 2 of account 1101 is not what it was at the checkpoint")
	damaged := strings.Replace(checkpoint, " 9.5 ", " 9 ", 1)
	findings, err := run(t, whole, audit.Options{Checkpoint: strings.NewReader(damaged[:len(damaged)/2])})
	expect.Equal(t, len(findings), 1, "found before the damage %q", findings)
	expect.Equal(t, err == nil, false, "the checkpoint is read whole")
}

// TestAuditFindsPaidLineWithTheTombstoneOfATrial forges the tombstone of a line that was activated and
// extended.
func TestAuditFindsPaidLineWithTheTombstoneOfATrial(t *testing.T) {
	l := newLedger(t)
	paid := l.official(l.root)
	l.Extend(paid, l.root, "0.5")
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		require.NoError(t, errorOf(tx.Lines.Get(ctx, paid.ID())))
		return tx.Lines.Delete(ctx, line.Tombstone{Line: paid.ID(), Actor: l.root.ID(), At: fixture.Noon.Add(time.Hour)})
	}))
	finds(t, l, "", "tombstone 1: movement 1 activated the line, and movement 0 is named as its charge",
		"tombstone 1: its line was a trial, and movement 2 paid for the line")
}

// roundStore returns its records again for ever, as a damaged file can.
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

func TestAuditOfRepeatedRecordsEnds(t *testing.T) {
	whole := ledgerOfPages(t)
	require.NoError(t, whole.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return storetest.Samples.In(tx.Records).Insert(ctx, storetest.Sample{ID: 1})
	}))
	findings, err := run(t, roundStore{whole}, audit.Options{})
	require.NoError(t, err)
	for _, kind := range []string{"account", "line", "sample"} {
		if !slices.ContainsFunc(findings, func(finding string) bool {
			return strings.HasPrefix(finding, kind+" 1: it comes after "+kind+" 1") && strings.Contains(finding, "out of order")
		}) {
			t.Errorf("found %q, which does not say that each %s comes again", findings, kind)
		}
	}
}

// newer turns a stored record into one that a newer version has written.
func newer(r record.Stored, err error) (record.Stored, error) {
	r.Payload = strings.Replace(strings.TrimSuffix(r.Payload, "}"), "{", `{"fields":99,`, 1) + `,"newest":"what is new"}`
	return r, err
}

// webhooksOf stores webhooks and their progress.
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

// The store has more webhooks than an audit reads at once.
func TestAuditFindsMissingProgressOfWebhooks(t *testing.T) {
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
		"webhook 7: its owner, account 9999, is missing", "webhook 1050: its owner, account 9998, is missing",
		"webhook_progress 64: its webhook is missing", "webhook_progress 65: its webhook is missing",
		"webhook 1061: the progress of its deliveries is missing",
	)
}
