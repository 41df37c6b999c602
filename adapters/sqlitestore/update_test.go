package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/ramdisk"
)

// childFile names the file for this program when a test runs it again as another process, which adds credits.
const childFile = "SQLITESTORE_TEST_FILE"

const childRounds = 40

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := addFromOutside(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ramdisk.Use(1 << 30)
	goleak.VerifyTestMain(m)
}

func TestCommandsThatWaitShareATransaction(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	refused := errors.New("refused")
	before := s.Transactions()
	works := make([]func(context.Context, ports.Tx) error, 20)
	for i := range works {
		works[i] = inserts(master(int64(100 + i)))
		if i%2 == 1 {
			works[i] = func(ctx context.Context, tx ports.Tx) error {
				return errors.Join(tx.Resellers.Insert(ctx, master(int64(100+i))), refused)
			}
		}
	}
	errs := together(t, s, works...)
	expect.DeepEqual(t, s.Transactions(), before+2, "one for the command that was held, one for all that waited")
	for i, err := range errs {
		if i%2 == 1 {
			expect.Error(t, err, refused)
			expect.Error(t, s.View(t.Context(), read(int64(100+i))), fault.ErrNotFound)
		} else {
			expect.Error(t, err, nil)
			expect.Error(t, s.View(t.Context(), read(int64(100+i))), nil)
		}
	}
	commits := 0
	s.Observe(func(ports.Commit) { commits++ })
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		_, err := ports.Messages.In(tx.Records).Get(ctx, 1)
		expect.Error(t, err, fault.ErrNotFound)
		return nil
	}))
	expect.Equal(t, commits, 0, "changes by a command that only reads")
	insert(t, s, master(99))
	expect.Equal(t, commits, 1, "changes by a command that writes")
}

// One command of a batch breaks the transaction that all share.
func TestALostTransactionFailsAllItsCommands(t *testing.T) {
	t.Parallel()
	for name, breaking := range map[string]struct {
		run   func(context.Context, *sqlitestore.Store, ports.Tx) error
		cause string
	}{
		"rolled back by the engine": {func(ctx context.Context, s *sqlitestore.Store, tx ports.Tx) error {
			execute(t, s, "PRAGMA max_page_count = 1") // as small as the file is now, for this connection
			return tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: "k", Request: []byte("r"), Body: make([]byte, 1<<20)})
		}, "put a key: the store is unavailable: database or disk is full (13)"},
		"refused at the commit": {func(ctx context.Context, s *sqlitestore.Store, tx ports.Tx) error {
			execute(t, s, "PRAGMA defer_foreign_keys = ON")
			return tx.Lines.Insert(ctx, fixture.Trial(master(9), 1))
		}, "commit"},
	} {
		t.Run(name, func(t *testing.T) {
			path := emptyStore(t)
			s := open(t, path)
			insert(t, s, admin())
			works := make([]func(context.Context, ports.Tx) error, 3)
			for i := range works {
				works[i] = inserts(master(int64(100 + i)))
			}
			works[len(works)/2] = func(ctx context.Context, tx ports.Tx) error { return breaking.run(ctx, s, tx) }
			s.Observe(func(ports.Commit) { t.Error("a commit was reported") })
			for i, err := range together(t, s, works...) {
				expect.Error(t, err, ports.ErrUnavailable)
				wantMention(t, err, breaking.cause)
				expect.Error(t, s.View(t.Context(), read(int64(100+i))), fault.ErrNotFound)
			}
			s.Observe(func(ports.Commit) {})
			insert(t, s, master(100)) // the writer continues with a new connection
			must(t, s.Close())
			wantOneFile(t, path)
		})
	}
}

func TestStoresAndProcessesShareAFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)

	// Two other processes open the new file at once.
	var processes []*exec.Cmd
	for range 2 {
		processes = append(processes, startProcess(t, path))
	}
	stores := []*sqlitestore.Store{open(t, path), open(t, path)}
	var group sync.WaitGroup
	for _, s := range stores {
		group.Go(func() { expect.Error(t, addCredits(t.Context(), s, childRounds), nil) })
	}
	group.Wait()
	for _, p := range processes {
		expect.Error(t, p.Wait(), nil, "%v", p.Stderr)
	}
	want := int64((len(stores) + len(processes)) * childRounds)
	for _, s := range stores {
		expect.DeepEqual(t, get(t, s, 2).State().Credits.Units(), want, "no addition is lost")
	}
}

// startProcess starts another process that adds credits in the file.
func startProcess(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), childFile+"="+path)
	p.Stderr = new(strings.Builder)
	must(t, p.Start())
	return p
}

func addFromOutside(path string) error {
	s, err := sqlitestore.Open(context.Background(), path)
	if err != nil {
		return err
	}
	return errors.Join(addCredits(context.Background(), s, childRounds), s.Close())
}

// addCredits adds one ten-thousandth to reseller 2, so many times. It makes the reseller if it is missing, and checks
// that no id is assigned twice.
func addCredits(ctx context.Context, s *sqlitestore.Store, rounds int) error {
	for range rounds {
		id, err := s.NextID(ctx, ports.MovementIDs)
		if err != nil {
			return err
		}
		err = s.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			a, err := tx.Resellers.Get(ctx, 2)
			if errors.Is(err, fault.ErrNotFound) {
				if err := tx.Resellers.Insert(ctx, admin()); err != nil {
					return err
				}
				a = master(2)
				err = tx.Resellers.Insert(ctx, a)
			}
			if err != nil {
				return err
			}
			m, err := admin().Fund(a, fixture.Units(1), credit.Provenance{ID: id, Actor: 1, At: a.State().CreatedAt})
			if err != nil {
				return err
			}
			return errors.Join(tx.Resellers.Save(ctx, a), tx.Ledger.Append(ctx, m))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// together runs commands in one transaction, in this order, and returns their errors.
func together(t *testing.T, s *sqlitestore.Store, works ...func(context.Context, ports.Tx) error) (errs []error) {
	t.Helper()
	entered, released, errs := make(chan struct{}), make(chan struct{}), make([]error, len(works))
	var group sync.WaitGroup
	group.Go(func() { // blocks the writer until all of them wait
		expect.Error(t, s.Update(t.Context(), func(context.Context, ports.Tx) error {
			close(entered)
			<-released
			return nil
		}), nil)
	})
	<-entered
	for i, work := range works {
		group.Go(func() { errs[i] = s.Update(t.Context(), work) })
		for s.Queued() < i+1 { // go test ends a test that waits without success
			time.Sleep(time.Millisecond)
		}
	}
	close(released)
	group.Wait()
	return errs
}
