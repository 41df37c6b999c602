package httpapi

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// began begins a page that must not wait.
func began(t *testing.T, a *answers, reseller int64, records int) *underWay {
	t.Helper()
	asked := time.Now()
	page, err := a.begin(t.Context(), reseller, records)
	if err != nil || time.Since(asked) > 0 {
		t.Fatalf("a page of account %d: %v after %v, want it at once", reseller, err, time.Since(asked))
	}
	return page
}

// unread is a page that was made and that nobody takes.
func unread(t *testing.T, a *answers, reseller int64, size int) *underWay {
	t.Helper()
	page := began(t, a, reseller, maxLimit)
	page.made(make([]byte, 0, size))
	return page
}

// refused begins a page that must be refused after so long.
func refused(t *testing.T, a *answers, reseller int64, records int, after time.Duration) {
	t.Helper()
	asked := time.Now()
	if _, err := a.begin(t.Context(), reseller, records); !errors.Is(err, errTooManyAnswers) || time.Since(asked) != after {
		t.Errorf("a page of account %d: %v after %v, want %v after %v", reseller, err, time.Since(asked), errTooManyAnswers, after)
	}
}

// empty expects that nothing is counted any more.
func empty(t *testing.T, a *answers) {
	t.Helper()
	if a.all != (load{}) || len(a.resellers) > 0 || len(a.queue) > 0 {
		t.Errorf("in the end %+v of %v is counted and %d wait", a.all, a.resellers, len(a.queue))
	}
}

func TestUnreadPagesOfAResellerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		var pages []*underWay
		for range 4 {
			pages = append(pages, unread(t, a, 7, maxPage))
		}
		refused(t, a, 7, 1, maxWait)
		began(t, a, 8, maxLimit).release()
		pages[3].release()
		last := began(t, a, 7, maxLimit)
		for _, p := range append(pages[:3], append(pages[4:], last)...) {
			p.release()
		}
		empty(t, a)
	})
}

func TestUnreadPagesOfAllAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		var pages []*underWay
		for i := range 32 {
			pages = append(pages, unread(t, a, int64(i/4), maxPage))
		}
		refused(t, a, 99, 1, maxWait)
		pages[0].release()
		page := began(t, a, 99, maxLimit)
		refused(t, a, 98, maxLimit, maxWait)
		for _, p := range append(pages[1:], page) {
			p.release()
		}
		empty(t, a)
	})
}

// TestReadingIsBounded reads pages whose records are not yet bodies.
func TestReadingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		read := []*underWay{began(t, a, 1, 300), began(t, a, 1, 200)}
		refused(t, a, 1, 1, maxWait)
		for reseller := range int64(3) {
			read = append(read, began(t, a, 2+reseller, maxLimit))
		}
		refused(t, a, 9, 1, maxWait)
		for i, p := range read {
			p.made([]byte("small"))
			began(t, a, 9, []int{300, 500, 500, 500, 500}[i]).release()
		}
		for _, p := range read {
			p.release()
		}
		empty(t, a)
	})
}

func TestASmallPageNeedsLittleRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		pages := []*underWay{unread(t, a, 1, maxPage/2)}
		for range 3 {
			pages = append(pages, unread(t, a, 1, maxPage))
		}
		const room = maxPage / 2 / maxRecord
		refused(t, a, 1, room+1, maxWait)
		for _, p := range append(pages, began(t, a, 1, room)) {
			p.release()
		}
		empty(t, a)
	})
}

// TestManySmallPagesAtOnce is a client with 64 connections: each page is answered, and none waits long.
func TestManySmallPagesAtOnce(t *testing.T) {
	for _, limit := range []int{30, defaultLimit, maxLimit} {
		synctest.Test(t, func(t *testing.T) {
			a := newAnswers()
			var all sync.WaitGroup
			for range 64 {
				all.Go(func() {
					page, err := a.begin(t.Context(), 1, limit)
					if err != nil {
						t.Errorf("limit %d: %v", limit, err)
						return
					}
					defer page.release()
					time.Sleep(20 * time.Millisecond) // it is read
					page.made(make([]byte, 500*limit))
				})
			}
			all.Wait()
			empty(t, a)
		})
	}
}

// TestOrderOfWaiting lets pages wait for one of their reseller and for others.
func TestOrderOfWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		first := began(t, a, 1, maxLimit)
		var mu sync.Mutex
		var admitted []int
		got := func() []int {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(admitted)
		}
		wait := func(i int, reseller int64, records int) {
			go func() {
				page, err := a.begin(t.Context(), reseller, records)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				admitted = append(admitted, i)
				mu.Unlock()
				time.Sleep(time.Millisecond)
				page.release()
			}()
			synctest.Wait()
		}
		wait(0, 1, maxLimit)
		wait(1, 1, 1)
		wait(2, 2, 1) // for nobody of its own
		if !slices.Equal(got(), []int{2}) {
			t.Errorf("while account 1 is at its limit %v are admitted, want 2 alone", got())
		}
		first.release()
		time.Sleep(time.Second)
		if !slices.Equal(got(), []int{2, 0, 1}) {
			t.Errorf("admitted in the order %v, want 2 0 1", got())
		}

		// Where all is taken a small page does not overtake a large one for ever.
		var pages []*underWay
		for i := range 4 {
			pages = append(pages, began(t, a, int64(10+i), maxLimit))
		}
		admitted = nil
		wait(0, 20, maxLimit)
		wait(1, 21, 1)
		wait(2, 22, maxLimit)
		pages[0].made(nil)
		if !slices.Equal(got(), []int{0}) {
			t.Errorf("where there is room for one %v are admitted, want 0", got())
		}
		time.Sleep(time.Second)
		for _, p := range pages {
			p.release()
		}
		if !slices.Equal(got(), []int{0, 1, 2}) {
			t.Errorf("admitted in the order %v, want 0 1 2", got())
		}
		empty(t, a)
	})
}

func TestWhoGivesUpHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		first := began(t, a, 1, maxLimit-1)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := a.begin(ctx, 1, maxLimit)
			gone <- err
		}()
		synctest.Wait()
		behind := make(chan *underWay)
		go func() {
			page, err := a.begin(t.Context(), 1, 1)
			if err != nil {
				t.Error(err)
			}
			behind <- page
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("a page for a client that is gone: %v", err)
		}
		(<-behind).release()
		first.release()
		empty(t, a)
	})
}

func TestWhoWaitsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		ctx, cancel := context.WithCancel(t.Context())
		var pages []*underWay
		var all sync.WaitGroup
		for reseller := range int64(waitingInAll / waitingOfReseller) {
			for range 3 {
				pages = append(pages, unread(t, a, reseller, maxPage))
			}
			pages = append(pages, unread(t, a, reseller, maxPage/2)) // half a page is free
			for range waitingOfReseller {
				all.Go(func() {
					if _, err := a.begin(ctx, reseller, maxLimit); err == nil {
						t.Error("a page has room where there is none")
					}
				})
			}
			synctest.Wait()
			refused(t, a, reseller, 1, 0)
		}
		began(t, a, 99, 1).release() // for whom there is room need not wait
		cancel()
		all.Wait()
		for _, p := range pages {
			p.release()
		}
		empty(t, a)
	})
}
