package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/sqlitestore"
	"resellerd/application/transfer"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// size is the number of records of a source besides the fixed ones: trials, records of a kind that is copied, and
// entries of the journal. The journal has two epochs, and its first entries name movements.
type size struct{ trials, samples, entries int }

var (
	many = size{ports.CopyBatch + 20, ports.CopyBatch + 20, ports.CopyBatch + 20} // several batches
	few  = size{20, 20, 30}
)

const movementsToCopy = 7

// told is the trial that has an entry in the journal of a source; no other trial has changed.
const told = 11

// fingerprint is the fingerprint of the source's service key.
const fingerprint = "fingerprint"

// busy is a store with records of every kind.
func busy(t *testing.T, of size) *memstore.Store {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	_, err := store.ClaimKey(t.Context(), fingerprint)
	require.NoError(t, err)
	var ledger fixture.Ledger
	admin := fixture.Admin(1)
	master := fixture.Master(admin, 2)
	ledger.Fund(admin, master, "100")
	seller := fixture.Reseller(master, 3)
	ledger.Fund(master, seller, "20.5")
	var lines []*line.Line
	for id := range int64(3 + of.trials + 1) {
		owner := master
		if id < 3 {
			owner = seller
		}
		lines = append(lines, fixture.Trial(owner, id+1))
		if id < 3 {
			ledger.Activate(lines[id], seller, "0.5")
		}
	}
	for i := range lines {
		lines[i] = fixture.ChangedLine(lines[i], func(s *line.State) {
			switch {
			case s.ID == told:
				s.Version = int64(of.entries) - 2 - movementsToCopy
			case s.Trial:
				s.Version = 0
			default:
				s.Version = 1
			}
		})
	}
	deleted := lines[len(lines)-1]
	for range 2 {
		ledger.Fund(admin, seller, "0.0001")
	}
	for sequence, last := range map[ports.Sequence]int{ports.ResellerIDs: 3, ports.LineIDs: len(lines),
		ports.MovementIDs: len(ledger.Movements), ports.PlatformIDs: 3, storetest.Samples.Sequence(): of.samples} {
		for range last {
			_, err := store.NextID(t.Context(), sequence)
			require.NoError(t, err)
		}
	}
	require.NoError(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		var errs []error
		for _, r := range []*reseller.Reseller{admin, master, seller} {
			errs = append(errs, tx.Resellers.Insert(ctx, r))
		}
		for _, l := range lines {
			errs = append(errs, tx.Lines.Insert(ctx, l))
		}
		for _, m := range ledger.Movements {
			errs = append(errs, tx.Ledger.Append(ctx, m))
		}
		for _, key := range []string{"first", "second"} {
			errs = append(errs,
				tx.Keys.Put(ctx, ports.KeyRecord{Reseller: admin.ID(), Key: key, Request: []byte(key), Status: 200,
					Body: []byte("answer"), Expires: fixture.Noon.Add(time.Hour)}))
		}
		for id := range int64(of.samples) {
			sample := storetest.Sample{ID: id + 1, Account: 1, Name: fmt.Sprint("sample ", id), At: fixture.Noon,
				Words: []string{"a", "b"}, Sealed: []byte("sealed")}
			errs = append(errs, storetest.Samples.In(tx.Records).Insert(ctx, sample))
		}
		errs = append(errs, tx.Journal.Begin(ctx, "", "0a1b2c3d", journal.Entry{Type: journal.Began, At: fixture.Noon}))
		for _, m := range ledger.Movements {
			named := journal.Entry{Type: journal.ResellerCredited, At: m.At, Account: seller.Position(),
				Actor: journal.Actor{Account: m.Actor, Name: m.ActorName}, Request: m.Request, Line: m.Line,
				Movement: journal.MovementOf(m)}
			if m.Operation == credit.Activation {
				named.Type = journal.LineActivated
				named = named.WithPrice(fixture.Price(m.Amount.String()))
			}
			errs = append(errs, tx.Journal.Append(ctx, named))
		}
		errs = append(errs,
			tx.Journal.Begin(ctx, "0a1b2c3d", "1b2c3d4e", journal.Entry{Type: journal.Restored, At: fixture.Noon}))
		for range of.entries - 2 - movementsToCopy {
			errs = append(errs,
				tx.Journal.Append(ctx, journal.Entry{Type: journal.TrialCreated, At: fixture.Noon, Account: master.Position(),
					Line: told}))
		}
		errs = append(errs, storetest.Scratches.In(tx.Records).Insert(ctx, storetest.Sample{ID: 1}),
			ports.Sessions.In(tx.Records).Insert(ctx, session.Session{ID: session.IDOf("secret"), Reseller: 1}))
		return errors.Join(append(errs, tx.Lines.Delete(ctx, deleted.Tombstone(master.ID(), fixture.Noon)))...)
	}))
	return store
}

// attempt is a copy and its reports.
type attempt struct {
	transfer.Result
	err      error
	reported []string
	steps    []string
}

func copyTo(ctx context.Context, source ports.Archive, target ports.CopyTarget, restart bool) (a attempt) {
	var last transfer.Step
	a.Result, a.err = transfer.Run(ctx, source, target, transfer.Options{
		Restart: restart,
		Report:  func(finding string) { a.reported = append(a.reported, finding) },
		Progress: func(step transfer.Step, done, total int64) {
			if step != last {
				a.steps = append(a.steps, step.String())
				last = step
				if done > 0 && total == 0 && step == transfer.AuditSource {
					a.steps = append(a.steps, "begins before its first record")
				}
			}
			a.steps[len(a.steps)-1] = fmt.Sprintf("%s: %d of %d", step, done, total)
		},
	})
	return a
}

func unfinished(t *testing.T, store ports.Archive) (is bool) {
	t.Helper()
	require.NoError(t, store.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) (err error) {
		is, err = r.Unfinished(ctx)
		return err
	}))
	return is
}

// untouched fails unless a copy may still begin in the store.
func untouched(t *testing.T, store ports.CopyTarget) {
	t.Helper()
	_, err := store.BeginCopy(t.Context(), ports.Origin{}, false)
	expect.Error(t, err, nil, "the target is as it was")
}

// servedAndCopied is a store that can be served and be a copy's target.
type servedAndCopied interface {
	ports.Store
	ports.CopyTarget
}

func TestACopyIsWhatItsSourceIs(t *testing.T) {
	source := busy(t, many)
	for name, target := range map[string]func() (servedAndCopied, error){
		"memory": func() (servedAndCopied, error) { return memstore.New(), nil },
		"sqlite": func() (servedAndCopied, error) {
			return sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "copy.db"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			copied, err := target()
			require.NoError(t, err)
			defer func() { require.NoError(t, copied.Close()) }()
			a := copyTo(t.Context(), source, copied, false)
			require.NoError(t, a.err)
			const resellers, lines, tombstones, movements, keys = 3, 3 + ports.CopyBatch + 20, 1, movementsToCopy, 2
			if a.Resellers != resellers || a.Lines != lines || a.Tombstones != tombstones || a.Movements != movements ||
				a.Keys != keys || a.Records != int64(many.samples) || a.Entries != int64(many.entries) || a.Findings != 0 ||
				a.Issued.String() != "100.0002" || a.Consumed.String() != "1.5" || a.Fingerprint != fingerprint {
				t.Errorf("copied %+v", a.Result)
			}
			all := resellers + lines + tombstones + movements + many.samples + many.entries
			const figures = 2 // of two accounts on a day, which the copy computes from the journal
			want := []string{
				fmt.Sprintf("auditing the source: %d of 0", all+figures+1), // and the session, which is not copied
				fmt.Sprintf("copying records: %d of %d", all, all),
				fmt.Sprintf("copying idempotency keys: %d of 0", keys),
				fmt.Sprintf("comparing the copy with the source: %d of %d", all+keys, all+keys),
				fmt.Sprintf("auditing the copy: %d of %d", all+figures, all),
			}
			if !slices.Equal(a.steps, want) || a.reported != nil {
				t.Errorf("steps %q, want %q; reported %q", a.steps, want, a.reported)
			}
			recorded, err := copied.ClaimKey(t.Context(), "another")
			expect.Error(t, err, nil, "the service key of the copy")
			expect.Equal(t, recorded, fingerprint, "the service key of the copy")

			require.NoError(t, copied.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
				for _, of := range ports.Kinds() {
					want := 0
					if of == storetest.Samples.Kind {
						want = 2 * many.samples // entries of two indexes
					}
					from, to := of.Bounds()
					found, err := v.Records.List(ctx, record.Range{Of: of, From: from, To: to, Limit: 3 * many.samples})
					expect.Error(t, err, nil, "entries of %s in the copy", of.Name())
					expect.Equal(t, len(found), want, "entries that lead to records of %s in the copy", of.Name())
				}
				return nil
			}))

			// And back again, from another kind of store.
			back := memstore.New()
			if a := copyTo(t.Context(), copied, back, false); a.err != nil || a.Lines != lines {
				t.Errorf("copied back %+v: %v", a.Result, a.err)
			}
		})
	}
}

func TestOnlyStoresAreCopied(t *testing.T) {
	source := busy(t, few)
	begun := func() ports.CopyTarget {
		store := memstore.New()
		_, err := store.BeginCopy(t.Context(), ports.Origin{Fingerprint: "f"}, false)
		require.NoError(t, err)
		return store
	}
	a := copyTo(t.Context(), memstore.New(), source, false)
	expect.Error(t, a.err, transfer.ErrSourceUnused, "a source that was never served")
	target := memstore.New()
	expect.Error(t, copyTo(t.Context(), begun(), target, true).err, transfer.ErrSourceUnfinished)
	untouched(t, target)
	for _, restart := range []bool{false, true} {
		a := copyTo(t.Context(), source, source, restart)
		expect.Error(t, a.err, ports.ErrNotEmpty, "a copy of a store over itself, restart %t", restart)
		expect.Equal(t, len(a.steps), 0, "steps of a copy of a store over itself: %q", a.steps)
	}
	claimed := memstore.New()
	_, err := claimed.ClaimKey(t.Context(), "f")
	require.NoError(t, err)
	expect.Error(t, copyTo(t.Context(), source, claimed, true).err, ports.ErrNotEmpty, "a target with a service key")
	target = memstore.New()
	a = copyTo(t.Context(), source, target, true)
	require.NoError(t, a.err)
	expect.Error(t, copyTo(t.Context(), source, target, true).err, ports.ErrNotEmpty, "a finished copy as target")
	half := begun()
	a = copyTo(t.Context(), source, half, false)
	expect.Error(t, a.err, ports.ErrUnfinishedCopy, "a target that is an unfinished copy")
	expect.Elements(t, a.steps, nil, "a target that is an unfinished copy")
	if a := copyTo(t.Context(), source, half, true); a.err != nil || unfinished(t, half) {
		t.Errorf("started over: %v", a.err)
	}
}

func TestASourceWithFindingsIsNotCopied(t *testing.T) {
	source := busy(t, few)
	require.NoError(t, source.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Resellers.Get(ctx, 2)
		require.NoError(t, err)
		return tx.Resellers.Save(ctx, fixture.Changed(r, func(s *reseller.State) { s.Credits = fixture.Credits("1000") }))
	}))
	target := memstore.New()
	a := copyTo(t.Context(), source, target, false)
	if a.err != nil || a.Findings == 0 || int64(len(a.reported)) != a.Findings ||
		!slices.ContainsFunc(a.reported, func(f string) bool { return strings.HasPrefix(f, "account 2: its balance is 1000") }) {
		t.Errorf("%d findings, %v, reported %q", a.Findings, a.err, a.reported)
	}
	untouched(t, target)
}

// changing is a target that stores other records than it gets.
type changing struct {
	servedAndCopied
	origin func(*ports.Origin)
	batch  func(*ports.Batch) error
}

func (c changing) BeginCopy(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
	if c.origin != nil {
		c.origin(&origin)
	}
	importer, err := c.servedAndCopied.BeginCopy(ctx, origin, restart)
	return changingImporter{importer, c}, err
}

type changingImporter struct {
	ports.Importer
	changing
}

func (i changingImporter) Copy(ctx context.Context, batch ports.Batch) error {
	if i.batch != nil {
		if err := i.batch(&batch); err != nil {
			return err
		}
	}
	return i.Importer.Copy(ctx, batch)
}

func TestACopyThatDiffersIsNotFinished(t *testing.T) {
	source := busy(t, few)
	editReseller := func(edit func(*reseller.State)) func(*ports.Batch) {
		return func(b *ports.Batch) {
			for i, r := range b.Resellers {
				if r.ID() == 3 {
					b.Resellers[i] = fixture.Changed(r, edit)
				}
			}
		}
	}
	editLine := func(edit func(*line.State)) func(*ports.Batch) {
		return func(b *ports.Batch) {
			for i, l := range b.Lines {
				if l.ID() == 2 {
					b.Lines[i] = fixture.ChangedLine(l, edit)
				}
			}
		}
	}
	editSamples := func(id int64, edit func(*storetest.Sample)) func(*ports.Batch) {
		return func(b *ports.Batch) {
			for i, r := range b.Kinds {
				v, err := storetest.Samples.Read(r.Payload)
				require.NoError(t, err)
				if s := v.(*storetest.Sample); s.ID == id { //nolint:forcetypeassert // it is of this kind
					edit(s)
					b.Kinds[i].Stored, err = storetest.Samples.Stored(*s)
					require.NoError(t, err)
				}
			}
		}
	}
	const differs, missing, added = ": it is not in the copy what it is in the source: ", ": it is missing in the copy",
		": it is in the copy and not in the source"
	last := int64(few.entries)
	for how, c := range map[string]struct {
		change func(*ports.Batch)
		want   []string
	}{
		"an account is changed": {editReseller(func(s *reseller.State) { s.Blocked = true }),
			[]string{"account 3" + differs + "Blocked"}},
		"a password is changed": {editLine(func(s *line.State) { s.Password = append(slices.Clone(s.Password), 0) }),
			[]string{"line 2" + differs + "Password"}},
		"a line gets another id": {editLine(func(s *line.State) { s.ID = 999_999 }),
			[]string{"line 2" + missing, "line 999999" + added}},
		"a movement is lost": {func(b *ports.Batch) {
			b.Movements = slices.DeleteFunc(b.Movements, func(m credit.Movement) bool { return m.ID == 4 })
		}, []string{"movement 4" + missing}},
		"an entry is changed": {func(b *ports.Batch) {
			if at := len(b.Entries) - 1; at > 0 && b.Entries[at].Seq == last {
				changed := b.Entries[at].Entry
				changed.Actor.Address = "192.0.2.1"
				b.Entries[at] = b.Entries[at-1].Append(changed)
			}
		}, []string{fmt.Sprintf("entry %d", last) + differs + "Actor.Address, Hash"}},
		"a key is lost": {func(b *ports.Batch) { b.Keys = b.Keys[:min(len(b.Keys), 1)] },
			[]string{`idempotency key "second" of account 1` + missing}},
		"a record of a kind is changed": {editSamples(2, func(s *storetest.Sample) { s.Sealed = nil }),
			[]string{"sample 2" + differs + "Sealed"}},
	} {
		left(t, source, changing{batch: each(c.change)}, how, c.want)
	}
	left(t, source, changing{origin: func(o *ports.Origin) { o.Fingerprint = "another" }}, "the service key is another",
		[]string{"service key: the copy has recorded another one"})
	left(t, source, changing{origin: func(o *ports.Origin) {
		o.Next = maps.Clone(o.Next)
		o.Next[ports.PlatformIDs] = 1
	}}, "a sequence starts over", []string{"sequence platform: it goes on with 1 in the copy and with 4 in the source"})

	nothing := changing{servedAndCopied: memstore.New(), batch: each(func(b *ports.Batch) { b.Lines = nil })}
	a := copyTo(t.Context(), source, nothing, false)
	expect.Error(t, a.err, transfer.ErrCopyDiffers, "without any line")
	expect.Equal(t, len(a.reported), 20, "differences without any line")
}

// left fails unless a copy ends with these differences, and stays unfinished.
func left(t *testing.T, source ports.Archive, target changing, how string, want []string) {
	t.Helper()
	target.servedAndCopied = memstore.New()
	a := copyTo(t.Context(), source, target, false)
	expect.Error(t, a.err, transfer.ErrCopyDiffers, "%s", how)
	expect.Error(t, a.err, transfer.ErrLeftUnfinished, "%s", how)
	expect.Elements(t, a.reported, want, "%s: reported", how)
	expect.Equal(t, unfinished(t, target), true, "%s: the copy is unfinished", how)
}

func each(change func(*ports.Batch)) func(*ports.Batch) error {
	return func(b *ports.Batch) error {
		change(b)
		return nil
	}
}

func TestACopyThatFailsIsLeftUnfinished(t *testing.T) {
	source := busy(t, many)
	full := errors.New("the disk is full")
	batches := 0
	target := changing{servedAndCopied: memstore.New(), batch: func(*ports.Batch) error {
		if batches++; batches == 3 {
			return full
		}
		return nil
	}}
	a := copyTo(t.Context(), source, target, false)
	if !errors.Is(a.err, full) || !errors.Is(a.err, transfer.ErrLeftUnfinished) || !unfinished(t, target) {
		t.Errorf("a full disk: %v", a.err)
	}
	_, err := target.ClaimKey(t.Context(), fingerprint)
	expect.Error(t, err, ports.ErrUnfinishedCopy, "the copy is served")
	require.NoError(t, copyTo(t.Context(), source, target, true).err)

	ctx, cancel := context.WithCancel(t.Context())
	stopped := changing{servedAndCopied: memstore.New(), batch: each(func(b *ports.Batch) {
		if len(b.Movements) > 0 {
			cancel()
		}
	})}
	a = copyTo(ctx, source, stopped, false)
	if !errors.Is(a.err, context.Canceled) || !errors.Is(a.err, transfer.ErrLeftUnfinished) || !unfinished(t, stopped) {
		t.Errorf("interrupted: %v", a.err)
	}
}

// The test writes to the source with each batch of the copy.
func TestACopyIsOfOneInstant(t *testing.T) {
	source := busy(t, few)
	written := 0
	target := changing{servedAndCopied: memstore.New(), batch: each(func(*ports.Batch) {
		require.NoError(t, source.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			payer, err := tx.Resellers.Get(ctx, 1)
			require.NoError(t, err)
			var more fixture.Ledger
			a := fixture.Reseller(payer, 1_000+int64(written))
			m := more.Fund(payer, a, "5")
			m.ID = a.ID()
			l := fixture.Trial(payer, 100_000+a.ID())
			return errors.Join(tx.Resellers.Save(ctx, payer), tx.Resellers.Insert(ctx, a), tx.Lines.Insert(ctx, l),
				tx.Ledger.Append(ctx, m))
		}))
		written++
	})}
	a := copyTo(t.Context(), source, target, false)
	require.NoError(t, a.err)
	if a.Resellers != 3 || a.Lines != int64(3+few.trials) || a.Movements != movementsToCopy || written < 4 {
		t.Errorf("copied %+v beside %d writes", a.Result, written)
	}
}

// torn is a store whose View reports at its end that it was no snapshot.
type torn struct{ ports.Archive }

var errTorn = errors.New("the records were changed while they were read")

func (s torn) ViewRecords(ctx context.Context, look func(context.Context, ports.Records) error) error {
	return errors.Join(s.Archive.ViewRecords(ctx, look), errTorn)
}

func TestCopyOfATornSnapshotIsNotFinished(t *testing.T) {
	target := memstore.New()
	a := copyTo(t.Context(), torn{busy(t, few)}, target, false)
	if !errors.Is(a.err, errTorn) || !errors.Is(a.err, transfer.ErrLeftUnfinished) || !unfinished(t, target) {
		t.Errorf("got error %v, unfinished %t", a.err, unfinished(t, target))
	}
}
