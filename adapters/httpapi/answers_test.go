package httpapi

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
)

// began begins a page that must not wait.
func began(t *testing.T, a *answers, account int64, records int) *underWay {
	t.Helper()
	asked := time.Now()
	page, err := a.begin(t.Context(), account, records, batchOf(records))
	if err != nil || time.Since(asked) > 0 {
		t.Fatalf("a page of account %d: %v after %v, want it at once", account, err, time.Since(asked))
	}
	return page
}

// shortPage is the longest of the short pages.
const shortPage = longPage - 1

// unread is a page that was made and that no client reads.
func unread(t *testing.T, a *answers, account int64, records, size int) *underWay {
	t.Helper()
	page := began(t, a, account, records)
	page.made(make([]byte, 0, size))
	return page
}

// refused begins a page that must be refused after the given time.
func refused(t *testing.T, a *answers, account int64, records int, after time.Duration) {
	t.Helper()
	asked := time.Now()
	_, err := a.begin(t.Context(), account, records, batchOf(records))
	expect.Error(t, err, errTooManyAnswers, "a page of account %d", account)
	expect.Equal(t, time.Since(asked), after, "a page of account %d is refused after", account)
}

// empty releases pages, and expects that no page is counted afterwards.
func empty(t *testing.T, a *answers, pages ...*underWay) {
	t.Helper()
	for _, p := range pages {
		p.release()
	}
	if a.all != (load{}) || len(a.accounts) > 0 || len(a.queue) > 0 {
		t.Errorf("in the end %+v of %v is counted and %d wait", a.all, a.accounts, len(a.queue))
	}
}

func TestUnreadPagesOfAnAccountAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		pages := []*underWay{unread(t, a, 7, maxLimit, maxPage), unread(t, a, 7, maxLimit, maxPage)}
		refused(t, a, 7, maxLimit, maxWait)
		pages = append(pages, unread(t, a, 7, shortPage, maxPage), unread(t, a, 7, shortPage, maxPage))
		refused(t, a, 7, 1, maxWait)
		began(t, a, 8, maxLimit).release()
		pages[0].release()
		pages[0] = began(t, a, 7, maxLimit)
		empty(t, a, pages...)
	})
}

func TestUnreadPagesOfAllAccountsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		var pages []*underWay
		for account := range int64(mostBodies / maxPage) {
			pages = append(pages, unread(t, a, account, maxLimit, maxPage))
		}
		refused(t, a, 99, 1, maxWait)
		empty(t, a, pages...)
	})
}

func TestAbandonedPagesDelayNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		var pages []*underWay
		for range 4 {
			pages = append(pages, began(t, a, 1, shortPage))
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := a.begin(ctx, 1, maxLimit, batchOf(maxLimit))
			gone <- err
		}()
		synctest.Wait()
		behind := make(chan *underWay)
		go func() {
			page, err := a.begin(t.Context(), 1, 1, 1)
			expect.Error(t, err, nil)
			behind <- page
		}()
		synctest.Wait()
		cancel()
		expect.Error(t, <-gone, context.Canceled, "a page for a client that is gone")
		empty(t, a, append(pages, <-behind)...)
	})
}

func TestWaitingPagesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		ctx, cancel := context.WithCancel(t.Context())
		var pages []*underWay
		var all sync.WaitGroup
		for account := range int64(waitingInAll / waitingOfAccount) {
			for _, size := range []int{maxPage, maxPage / 2} { // half a page is free
				pages = append(pages, unread(t, a, account, maxLimit, maxPage), unread(t, a, account, shortPage, size))
			}
			for range waitingOfAccount {
				all.Go(func() {
					_, err := a.begin(ctx, account, maxLimit, batchOf(maxLimit))
					expect.Error(t, err, context.Canceled, "a page for which there is no room")
				})
			}
			synctest.Wait()
			refused(t, a, account, shortPage, 0)
		}
		began(t, a, 99, 1).release() // for whom there is room need not wait
		pages = append(pages, unread(t, a, 99, maxLimit, maxPage), unread(t, a, 99, maxLimit, maxPage))
		refused(t, a, 99, maxLimit, 0) // as many wait as may in all
		cancel()
		all.Wait()
		empty(t, a, pages...)
	})
}
