package bench

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// linesVariable sets how many lines the larger store of BenchmarkRead has: a
// million take about a gigabyte and some minutes to make.
const (
	linesVariable = "RESELLERD_TEST_BENCH_LINES"
	fewLines      = 100
	manyLines     = 100_000
)

// The resellers of BenchmarkRead. One owner has a tenth of the lines, the tree of
// treeRoot all the others, spread over up to treeSize resellers.
const (
	oneOwner  = 2
	treeRoot  = 3
	firstLeaf = 4
	treeSize  = 50_000
)

var epoch = time.Date(2024, 5, 17, 9, 30, 12, 345e6, time.UTC)

const pageSize = 50

// BenchmarkRead reads pages from a small store and from a large one: the
// two should cost the same. Totals read everything there is.
func BenchmarkRead(b *testing.B) {
	many := manyLines
	if text := os.Getenv(linesVariable); text != "" {
		var err error
		if many, err = strconv.Atoi(text); err != nil {
			b.Fatalf("%s: %v", linesVariable, err)
		}
	}
	for _, store := range stores {
		for _, size := range []int{fewLines, many} {
			b.Run(fmt.Sprintf("%s/%d-lines", store.name, size), func(b *testing.B) {
				s, err := store.open(b)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() {
					if err := s.Close(); err != nil {
						b.Error(err)
					}
				})
				fill(b, s, size)
				readAll(b, s, size)
			})
		}
	}
}

func readAll(b *testing.B, s ports.Store, size int) {
	view := func(name string, look func(ctx context.Context, s ports.Snapshot) (int, error)) {
		b.Run(name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				err := s.View(b.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
					found, err = look(ctx, s)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(found), "records")
		})
	}
	middle := ports.LineCursor{ExpiresAt: expiryOf(size / 2), ID: int64(size / 2)}
	official := false
	for _, scope := range []struct {
		name string
		ports.Scope
	}{
		{"everything", ports.Scope{}},
		{"owner", ports.Scope{Reseller: oneOwner}},
		{"tree", ports.Scope{Reseller: treeRoot, Tree: true}},
	} {
		for _, query := range []struct {
			name string
			ports.LineQuery
		}{
			{"by-id", ports.LineQuery{}},
			{"by-expiry", ports.LineQuery{ByExpiry: true}},
			{"by-expiry-from-middle", ports.LineQuery{ByExpiry: true, After: middle}},
			{"none-matches", ports.LineQuery{Trial: &official}},
			{"common-prefix", ports.LineQuery{Username: "line"}},
			{"rare-prefix", ports.LineQuery{Username: "line" + strconv.Itoa(size-1)}},
		} {
			q := query.LineQuery
			q.Scope, q.Limit = scope.Scope, pageSize
			view("lines-of-"+scope.name+"/"+query.name, func(ctx context.Context, s ports.Snapshot) (int, error) {
				page, err := s.Lines.List(ctx, q)
				return len(page.Lines), err
			})
		}
	}
	view("accounts-of-tree", func(ctx context.Context, s ports.Snapshot) (int, error) {
		page, err := s.Resellers.List(ctx, ports.ResellerQuery{Scope: ports.Scope{Reseller: treeRoot, Tree: true}, Limit: pageSize})
		return len(page.Resellers), err
	})
	view("statement", func(ctx context.Context, s ports.Snapshot) (int, error) {
		page, err := s.Ledger.Statement(ctx, oneOwner, int64(size/2), pageSize)
		return len(page), err
	})
	view("totals", func(ctx context.Context, s ports.Snapshot) (int, error) {
		totals, err := s.Ledger.Totals(ctx)
		return int(totals.Movements), err
	})
}

// expiryOf is as in a store that has grown: lines made one after another run for
// one of a few periods.
func expiryOf(i int) time.Time {
	const day = 24 * time.Hour
	runs := []time.Duration{4 * time.Hour, 30 * day, 180 * day}
	return epoch.Add(time.Duration(i)*10*time.Second + runs[i%len(runs)])
}

// fill makes so many lines and as many movements, 1,000 in an update.
func fill(b *testing.B, s ports.Store, lines int) {
	b.Helper()
	admin := newReseller(b, reseller.State{Position: reseller.Position{ID: 1}, Role: reseller.Admin, CreatedAt: epoch})
	owner := newReseller(b, reseller.State{Position: reseller.Position{ID: oneOwner, Ancestors: []int64{1}}, Role: reseller.Standard, CreatedAt: epoch})
	root := newReseller(b, reseller.State{Position: reseller.Position{ID: treeRoot, Ancestors: []int64{1}}, Role: reseller.Master, CreatedAt: epoch})
	leaves := min(treeSize, lines/2)
	leafOf := func(i int) reseller.Position {
		return reseller.Position{ID: int64(firstLeaf + i%leaves), Ancestors: []int64{1, treeRoot}}
	}
	inBatches(b, s, leaves, func(ctx context.Context, tx ports.Tx, i int) error {
		if i == 0 {
			for _, a := range []*reseller.Reseller{admin, owner, root} {
				if err := tx.Resellers.Insert(ctx, a); err != nil {
					return err
				}
			}
		}
		return tx.Resellers.Insert(ctx, newReseller(b, reseller.State{Position: leafOf(i), Role: reseller.Standard, CreatedAt: epoch}))
	})
	inBatches(b, s, lines, func(ctx context.Context, tx ports.Tx, i int) error {
		state := line.State{
			ID: int64(i + 1), Owner: leafOf(i), Password: make([]byte, 48), Trial: true,
			Username:  profile.RestoreUsername(fmt.Sprint("Line", i), fmt.Sprint("line", i)),
			ExpiresAt: expiryOf(i), CreatedAt: epoch, UpdatedAt: epoch,
		}
		if i%10 == 0 {
			state.Owner = owner.Position()
		}
		l, err := line.Restore(state)
		if err != nil {
			return err
		}
		return tx.Lines.Insert(ctx, l)
	})
	unit, err := credit.FromUnits(1)
	if err != nil {
		b.Fatal(err)
	}
	inBatches(b, s, lines, func(ctx context.Context, tx ports.Tx, i int) error {
		m, err := admin.Fund(owner, unit, credit.Provenance{ID: int64(i + 1), Actor: 1, Request: "bench", At: epoch})
		if err != nil {
			return err
		}
		return tx.Ledger.Append(ctx, m)
	})
	if err := s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Save(ctx, owner) }); err != nil {
		b.Fatal(err)
	}
}

func inBatches(b *testing.B, s ports.Store, count int, insert func(ctx context.Context, tx ports.Tx, i int) error) {
	b.Helper()
	const batch = 1_000
	for first := 0; first < count; first += batch {
		err := s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error {
			for i := first; i < min(first+batch, count); i++ {
				if err := insert(ctx, tx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
