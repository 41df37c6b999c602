package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"resellerd/ports"
	clients "resellerd/test/api"
	"resellerd/test/expect"
)

// TestPlacesOfExports fills the places of an account, of a tree and of all.
func TestPlacesOfExports(t *testing.T) {
	e := newExporting()
	var ends []func()
	for range exportsOfAccount {
		leave, err := e.enter(7)
		must(t, err)
		ends = append(ends, leave)
	}
	_, err := e.enter(7)
	expect.Error(t, err, errTooManyExports, "an account with too many exports")
	for _, c := range []struct{ tree, places int64 }{{100, exportsInAll / 2}, {200, exportsInAll / 4},
		{300, exportsInAll / 8}, {400, exportsInAll / 16}, {500, 1}, {600, 0}} {
		for i := range c.places {
			leave, err := e.place(c.tree)
			if err != nil {
				t.Fatalf("tree %d has no place %d: %v", c.tree, i+1, err)
			}
			ends = append(ends, leave)
		}
		_, err := e.place(c.tree)
		expect.Error(t, err, errTooManyAnswers, "tree %d has a place more than %d", c.tree, c.places)
	}
	for _, end := range ends {
		end()
	}
	if e.all != 0 || len(e.accounts)+len(e.trees) > 0 {
		t.Errorf("in the end %d places are taken, by %v of %v", e.all, e.accounts, e.trees)
	}
}

// TestOrdersForIDsAreCounted has two orders for ids be read: they count as long pages of their account.
func TestOrdersForIDsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &held{Store: withAdmin(t), let: make(chan struct{})}
		handler := handlerOn(t, store, io.Discard)
		order := func() int {
			r := httptest.NewRequest(http.MethodPost, "/base/bulk",
				strings.NewReader(`{"action":"suspend","select":{"ids":[1,2,3]},"dry_run":true}`))
			r.Header.Set("Authorization", "Bearer 1")
			r.Header.Set("Content-Type", "application/json")
			answer := clients.NewRecorder()
			handler.ServeHTTP(answer, r)
			return answer.Code
		}
		var all sync.WaitGroup
		store.holds = true
		for range 2 {
			all.Go(func() {
				expect.Equal(t, order(), http.StatusOK, "status")
			})
		}
		synctest.Wait()
		store.holds = false
		expect.Equal(t, order(), http.StatusServiceUnavailable, "a third order: status")
		close(store.let)
		all.Wait()
		expect.Equal(t, order(), http.StatusOK, "once the others have ended: status")
	})
}

// held is a store whose reads can be held up.
type held struct {
	ports.Store

	holds bool
	let   chan struct{}
}

func (s *held) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	if s.holds {
		<-s.let
	}
	return s.Store.View(ctx, look)
}
