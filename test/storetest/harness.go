package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

const (
	// hangGuard turns a store that never answers into a failure.
	hangGuard = time.Minute
	// grace is how long a check gives a store the opportunity to do what it must
	// not do. A sound store passes whatever the machine does in this time.
	grace = 50 * time.Millisecond

	workers = 8
	rounds  = 12
)

// world is a store under test with what checks do to it. Its methods that can
// fail end the check; they are called on the check's own goroutine only.
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

// archive is the store as auditors see it.
func (w *harness) archive() ports.Archive {
	w.Helper()
	archive, is := w.store.(ports.Archive)
	if !is {
		w.Fatalf("this store implements no ports.Archive: it can't be audited or copied, and RunArchive is not for it")
	}
	return archive
}

// target is the store as a copy sees it.
func (w *harness) target() ports.CopyTarget {
	w.Helper()
	target, is := w.store.(ports.CopyTarget)
	if !is {
		w.Fatalf("this store implements no ports.CopyTarget: it can't become a copy, and lacks Copies")
	}
	return target
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

// reseller reads a reseller outside any update.
func (w *harness) reseller(id int64) *reseller.Reseller {
	w.Helper()
	var r *reseller.Reseller
	w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
		r, err = s.Resellers.Get(ctx, id)
		return err
	})
	return r
}

func (w *harness) balance(id int64) int64 {
	w.Helper()
	return w.reseller(id).State().Credits.Units()
}

// line reads a line, nil where there is none.
func (w *harness) line(id int64) *line.Line {
	w.Helper()
	var found *line.Line
	w.update("read a line", func(ctx context.Context, tx ports.Tx) (err error) {
		found, err = tx.Lines.Get(ctx, id)
		return absent(err)
	})
	return found
}

// movement reads a movement and reports whether it is there.
func (w *harness) movement(id int64) (m credit.Movement, found bool) {
	w.Helper()
	w.update("read a movement", func(ctx context.Context, tx ports.Tx) (err error) {
		m, err = tx.Ledger.Get(ctx, id)
		found = err == nil
		return absent(err)
	})
	return m, found
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
func (w *harness) statement(reseller, before int64, limit int) (movements []credit.Movement) {
	w.Helper()
	w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
		movements, err = s.Ledger.Statement(ctx, reseller, before, limit)
		return err
	})
	return movements
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
	a := reseller.NewAdmin(reseller.NewReseller{
		ID:           w.id(ports.ResellerIDs),
		Username:     name(username),
		PasswordHash: "hash of " + username,
		Contact:      reseller.Contact{Country: profile.RestoreText("ZZ")},
		Language:     profile.RestoreText("en"),
	}, noon)
	w.update("insert an admin", func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) })
	return a
}

// master inserts a reseller below above with credits that are issued to it.
func (w *harness) master(above *reseller.Reseller, username string, credits int64) *reseller.Reseller {
	w.Helper()
	a, err := below(above, w.id(ports.ResellerIDs), username)
	w.must(err, "create an account")
	if credits > 0 {
		a = restored(a, func(s *reseller.State) { s.Credits = units(credits) })
	}
	w.update("insert an account", func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) })
	return a
}

// below returns a master below above, without credits, that is not stored yet.
func below(above *reseller.Reseller, id int64, username string) (*reseller.Reseller, error) {
	a, _, err := above.Create(reseller.NewReseller{
		ID:           id,
		Master:       true,
		Username:     name(username),
		PasswordHash: "hash of " + username,
		Contact:      reseller.Contact{Country: profile.RestoreText("PT")},
		Language:     profile.RestoreText("pt"),
	}, credit.Provenance{At: noon})
	return a, err
}

// trial inserts a trial of owner's.
func (w *harness) trial(owner *reseller.Reseller, username string) *line.Line {
	w.Helper()
	l := newTrial(owner, w.id(ports.LineIDs), username)
	w.update("insert a line", func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Insert(ctx, l) })
	return l
}

func newTrial(owner *reseller.Reseller, id int64, username string) *line.Line {
	l, err := line.NewTrial(owner, line.Trial{
		ID:       id,
		Username: name(username),
		Password: line.Sealed("sealed"),
		Runs:     4 * time.Hour,
	}, 0, noon)
	if err != nil {
		panic(err) // no allowance is asked for
	}
	return l
}

// rename gives a reseller another name in an update.
func rename(ctx context.Context, tx ports.Tx, id int64, username string) error {
	a, err := tx.Resellers.Get(ctx, id)
	if err != nil {
		return err
	}
	return tx.Resellers.Save(ctx, restored(a, func(s *reseller.State) { s.Username = name(username) }))
}

// renameLine gives a line another name in an update.
func renameLine(ctx context.Context, tx ports.Tx, id int64, username string) error {
	l, err := tx.Lines.Get(ctx, id)
	if err != nil {
		return err
	}
	return tx.Lines.Save(ctx, restoredLine(l, func(s *line.State) { s.Username = name(username) }))
}

// parallel runs do on n goroutines at once and returns their errors.
func parallel(n int, do func(i int) error) []error {
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
	w.must(errors.Join(parallel(workers, do)...), "concurrent updates")
}

// held is an update whose work has done its part and is kept open.
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

// outcome waits for what is to be sent.
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
