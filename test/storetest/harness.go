package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

const (
	// hangGuard turns a store that never answers into a failure. A check of a store on a busy machine, under the race
	// detector, has taken a minute.
	hangGuard = 5 * time.Minute
	// grace is the time in which a check waits for a forbidden effect of a store. A sound store passes whatever the
	// machine does in this time.
	grace = 50 * time.Millisecond

	workers = 8
	rounds  = 12
)

// harness is a store under test and the operations of checks on it. Its methods that can fail end the check; they are
// called on the check's own goroutine only.
type harness struct {
	T
	ctx     context.Context
	subject Subject
	store   ports.Store
	closed  bool
	audited bool // what is stored is read by auditors as well

	differences int // described so far
}

func open(t T, s Subject) *harness {
	ctx, cancel := context.WithTimeout(t.Context(), hangGuard)
	w := &harness{T: t, ctx: ctx, subject: s, store: s.Open(t)}
	t.Cleanup(func() {
		cancel()
		w.close()
	})
	return w
}

func (w *harness) close() {
	if w.closed {
		return
	}
	w.closed = true
	if err := w.store.Close(); err != nil {
		w.Errorf("close: %v", err)
	}
}

// reopen closes the store and opens its records again.
func (w *harness) reopen() {
	w.Helper()
	if w.subject.Reopen == nil {
		w.Fatalf("the subject can't be opened again: it lacks Durability")
	}
	w.close()
	w.store = w.subject.Reopen(w.T, w.store)
	w.closed = false
}

func (w *harness) must(err error, doing string) {
	w.Helper()
	if err != nil {
		w.Fatalf("%s: %v", doing, err)
	}
}

func (w *harness) want(err, want error, doing string) {
	w.Helper()
	if !errors.Is(err, want) {
		w.Errorf("%s: got error %v, want %v", doing, err, want)
	}
}

type work = func(ctx context.Context, tx ports.Tx) error

func (w *harness) try(do work) error { return w.store.Update(w.ctx, do) }

func (w *harness) update(doing string, do work) {
	w.Helper()
	w.must(w.try(do), doing)
}

func (w *harness) view(look func(ctx context.Context, s ports.Snapshot) error) {
	w.Helper()
	w.must(w.store.View(w.ctx, look), "view")
}

// viewBeside reads in a view on a goroutine of its own: it has to end while an update is open.
func viewBeside[R any](w *harness, read func(ctx context.Context, s ports.Snapshot) (R, error)) (result R) {
	w.Helper()
	looked := async(func() error {
		return w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
			result, err = read(ctx, s)
			return err
		})
	})
	w.must(outcome(w, looked, "a view beside an open update"), "view beside an open update")
	return result
}

// parts returns the optional parts that the store has.
func (w *harness) parts() [4]bool {
	p := w.store.Parts()
	return [4]bool{p.Archive != nil, p.CopyTarget != nil, p.Rekeyable != nil, p.Observable != nil}
}

// part returns an optional part of the store, which the check needs.
func part[P any](w *harness, has P, which string) P {
	w.Helper()
	if any(has) == nil {
		w.Fatalf("this store has no %s: it declares in Lacks what it is not made for, and RunArchive is not for it", which)
	}
	return has
}

func (w *harness) archive() ports.Archive { return part(w, w.store.Parts().Archive, "ports.Archive") }

func (w *harness) target() ports.CopyTarget {
	return part(w, w.store.Parts().CopyTarget, "ports.CopyTarget")
}

func (w *harness) rekeyable() ports.Rekeyable {
	return part(w, w.store.Parts().Rekeyable, "ports.Rekeyable")
}

func (w *harness) records(look func(ctx context.Context, r ports.Records) error) {
	w.Helper()
	w.must(w.archive().ViewRecords(w.ctx, look), "view records")
}

func (w *harness) id(of ports.Sequence) int64 {
	w.Helper()
	id, err := w.store.NextID(w.ctx, of)
	w.must(err, "next id of "+of.String())
	return id
}

// provenance signs for a new movement.
func (w *harness) provenance(actor int64) credit.Provenance {
	w.Helper()
	return credit.Provenance{ID: w.id(ports.MovementIDs), Actor: actor, Request: "request", At: noon}
}

// seen returns the result of a read in a view.
func seen[R any](w *harness, read func(ctx context.Context, s ports.Snapshot) (R, error)) (result R) {
	w.Helper()
	w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
		result, err = read(ctx, s)
		return err
	})
	return result
}

// seenInUpdate returns the result of a read in an update, and whether the record exists.
func seenInUpdate[R any](w *harness, read func(ctx context.Context, tx ports.Tx) (R, error)) (result R, found bool) {
	w.Helper()
	w.update("read in an update", func(ctx context.Context, tx ports.Tx) (err error) {
		result, err = read(ctx, tx)
		found = err == nil
		return absent(err)
	})
	if !found { // the value beside the error does not count
		return *new(R), false
	}
	return result, true
}

// recorded returns the result of a read through ports.Records, which auditors and copies use.
func recorded[R any](w *harness, read func(ctx context.Context, r ports.Records) (R, error)) (result R) {
	w.Helper()
	w.records(func(ctx context.Context, r ports.Records) (err error) {
		result, err = read(ctx, r)
		return err
	})
	return result
}

// reseller reads a reseller outside any update.
func (w *harness) reseller(id int64) *reseller.Reseller {
	w.Helper()
	return seen(w, func(ctx context.Context, s ports.Snapshot) (*reseller.Reseller, error) {
		return s.Resellers.Get(ctx, id)
	})
}

func (w *harness) balance(id int64) int64 {
	w.Helper()
	return w.reseller(id).State().Credits.Units()
}

// line reads a line, nil if there is none.
func (w *harness) line(id int64) *line.Line {
	w.Helper()
	found, _ := seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (*line.Line, error) {
		return tx.Lines.Get(ctx, id)
	})
	return found
}

// movement reads a movement, which has no id if there is none.
func (w *harness) movement(id int64) credit.Movement {
	w.Helper()
	found, _ := seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (credit.Movement, error) {
		return tx.Ledger.Get(ctx, id)
	})
	return found
}

// key reads an idempotency record and reports whether it is there.
func (w *harness) key(reseller int64, key string) (r ports.KeyRecord, found bool) {
	w.Helper()
	w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
		r, err = s.Keys.Get(ctx, reseller, key)
		found = err == nil
		return absent(err)
	})
	return r, found
}

// statement reads the newest movements of a reseller, up to limit, with numbers
// less than before.
func (w *harness) statement(reseller, before int64, limit int) []credit.Movement {
	w.Helper()
	return seen(w, func(ctx context.Context, s ports.Snapshot) ([]credit.Movement, error) {
		return s.Ledger.Statement(ctx, reseller, before, limit)
	})
}

// absent is err unless it says that something is not there.
func absent(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	return err
}

// admin inserts a root reseller.
func (w *harness) admin(username string) *reseller.Reseller {
	w.Helper()
	a := fixture.Admin(w.id(ports.ResellerIDs), func(s *reseller.State) { s.Username = fixture.Name(username) })
	w.update("insert an admin", inserts(a))
	return a
}

// master inserts a reseller below above with credits that are issued to it.
func (w *harness) master(above *reseller.Reseller, username string, credits int64) *reseller.Reseller {
	w.Helper()
	a := fixture.Changed(w.below(above, username), func(s *reseller.State) { s.Credits = fixture.Units(credits) })
	w.update("insert an account", inserts(a))
	return a
}

// below returns a master below above, without credits, that is not stored yet.
func (w *harness) below(above *reseller.Reseller, username string) *reseller.Reseller {
	w.Helper()
	return below(above, w.id(ports.ResellerIDs), username)
}

// trial inserts a trial of owner's.
func (w *harness) trial(owner *reseller.Reseller, username string) *line.Line {
	w.Helper()
	l := newTrial(owner, w.id(ports.LineIDs), username)
	w.update("insert a line", insertsLine(l))
	return l
}

// inTurn does works one after the other, up to one that fails.
func inTurn(works ...work) work {
	return func(ctx context.Context, tx ports.Tx) error {
		for _, do := range works {
			if err := do(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}
}

func inserts(a *reseller.Reseller) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) }
}

func insertsLine(l *line.Line) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Insert(ctx, l) }
}

func appends(m credit.Movement) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Ledger.Append(ctx, m) }
}

func puts(r ports.KeyRecord) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, r) }
}

// changes gets a reseller and saves it with its state changed.
func changes(id int64, change func(s *reseller.State)) work {
	return func(ctx context.Context, tx ports.Tx) error {
		a, err := tx.Resellers.Get(ctx, id)
		if err != nil {
			return err
		}
		return tx.Resellers.Save(ctx, fixture.Changed(a, change))
	}
}

// changesLine gets a line and saves it with its state changed.
func changesLine(id int64, change func(s *line.State)) work {
	return func(ctx context.Context, tx ports.Tx) error {
		l, err := tx.Lines.Get(ctx, id)
		if err != nil {
			return err
		}
		return tx.Lines.Save(ctx, fixture.ChangedLine(l, change))
	}
}

// renames changes the name of a reseller.
func renames(id int64, username string) work {
	return changes(id, func(s *reseller.State) { s.Username = fixture.Name(username) })
}

// renamesLine changes the name of a line.
func renamesLine(id int64, username string) work {
	return changesLine(id, func(s *line.State) { s.Username = fixture.Name(username) })
}

// addsTo adds one unit to a reseller.
func addsTo(id int64) work {
	return changes(id, func(s *reseller.State) { s.Credits = fixture.Units(s.Credits.Units() + 1) })
}

// deletes gets a line and deletes it.
func deletes(id int64) work {
	return func(ctx context.Context, tx ports.Tx) error {
		l, err := tx.Lines.Get(ctx, id)
		if err != nil {
			return err
		}
		return tx.Lines.Delete(ctx, tombstoneOf(l))
	}
}

// tombstoneOf returns the tombstone of a line that its owner deletes.
func tombstoneOf(l *line.Line) line.Tombstone {
	return l.Tombstone(l.Owner().ID, fixture.Time("2026-03-01T00:00:00.001Z"))
}

// saves sets the state of a stored reseller.
func (w *harness) saves(s reseller.State) {
	w.Helper()
	w.update("save an account", changes(s.ID, func(to *reseller.State) { *to = s }))
}

// savesLine sets the state of a stored line.
func (w *harness) savesLine(s line.State) {
	w.Helper()
	w.update("save a line", changesLine(s.ID, func(to *line.State) { *to = s }))
}

// deleteLine deletes a line in an update of its own.
func (w *harness) deleteLine(id int64) {
	w.Helper()
	w.update("delete a line", deletes(id))
}

// bury deletes a line so that it leaves this tombstone.
func (w *harness) bury(t line.Tombstone) error {
	return w.try(func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Lines.Get(ctx, t.Line); absent(err) != nil {
			return err
		}
		return tx.Lines.Delete(ctx, t)
	})
}

// batch is how many records a check stores in one update.
const batch = 400

// storeAll stores records, many in one update.
func storeAll[R any](w *harness, all []R, stores func(r R) work) {
	w.Helper()
	for some := range slices.Chunk(all, batch) {
		w.update("store records", inTurn(mapped(some, stores)...))
	}
}

// mapped returns the result of a function for each.
func mapped[R, V any](all []R, of func(R) V) (values []V) {
	for _, r := range all {
		values = append(values, of(r))
	}
	return values
}

// AtOnce runs do on n goroutines, which start together, and returns their errors.
func AtOnce(n int, do func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	group.Wait()
	return errs
}

// mustParallel runs do on every worker at once, where nothing may fail.
func (w *harness) mustParallel(do func(worker int) error) {
	w.Helper()
	w.must(errors.Join(AtOnce(workers, do)...), "concurrent updates")
}

// held is an update that stays open after its work.
type held struct {
	release func()     // lets it end; may be repeated
	ended   chan error // what Update returned
}

// hold starts an update and returns once its work has done its part. The update
// stays open until it is released, at the latest when the check ends.
func (w *harness) hold(do work) held {
	w.Helper()
	entered, released := make(chan struct{}), make(chan struct{})
	enter := sync.OnceFunc(func() { close(entered) })
	h := held{
		release: sync.OnceFunc(func() { close(released) }),
		ended:   make(chan error, 1),
	}
	w.Cleanup(h.release)
	go func() {
		h.ended <- w.try(func(ctx context.Context, tx ports.Tx) error {
			if err := do(ctx, tx); err != nil {
				return err
			}
			enter()
			<-released
			return nil
		})
	}()
	select {
	case <-entered:
	case err := <-h.ended:
		w.Fatalf("an update ended early: %v", err)
	case <-w.ctx.Done():
		w.Fatalf("an update did not run its work")
	}
	return h
}

// end releases the update, which has to succeed.
func (h held) end(w *harness) {
	w.Helper()
	h.release()
	w.must(outcome(w, h.ended, "the update"), "the update")
}

// outcome waits for the value of a channel.
func outcome[R any](w *harness, from <-chan R, of string) R {
	w.Helper()
	select {
	case r := <-from:
		return r
	case <-w.ctx.Done():
		w.Fatalf("%s did not end", of)
		panic("unreachable")
	}
}

// async runs do on a goroutine and sends its result.
func async[R any](do func() R) <-chan R {
	result := make(chan R, 1)
	go func() { result <- do() }()
	return result
}
