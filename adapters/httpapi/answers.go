package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"resellerd/application"
)

// An answer stays in memory until its client has read it. So pages count against a budget, from before they are read
// from the store until they are written: by account, because a client can't create more tokens, and in total. Other
// answers are single records of some kilobytes.
//
// The length of a page is unknown until it is complete. Its records are in memory while it is read: batch by batch,
// each written into the body before the next is read. So a page that is being read counts as the longest possible page,
// with the records of one batch. After that it counts as its bytes.
//
// A page is short if its batches have fewer than longPage records, otherwise long. Short pages pass long ones. Long
// pages of an account take at most half of its share. While a long page waits, short ones take at most the other half,
// so that both classes continue.

// load is the memory that pages use.
type load struct {
	bytes   int // of bodies
	records int // read from the store and not yet written into a body
}

func (l load) plus(m load) load  { return load{l.bytes + m.bytes, l.records + m.records} }
func (l load) minus(m load) load { return load{l.bytes - m.bytes, l.records - m.records} }
func (l load) fits(m load) bool  { return l.bytes <= m.bytes && l.records <= m.records }

const (
	// maxPage is the maximum size of a page's body, in bytes.
	maxPage = 1 << 20
	// maxRecord is more than the longest record of a page: notes of 2,000 characters that JSON escapes with 6 bytes
	// each, and other texts of maximum length.
	maxRecord = 16 << 10
)

// batchOf is the number of records in memory at once, for a page of up to limit records.
func batchOf(limit int) int { return min(limit, application.MostHeld) }

// The limits of pages in progress. A page takes at most a quarter of its account's share.
var (
	mostOfAccount = load{bytes: 4 * maxPage, records: 4 * application.MostHeld}
	halfOfAccount = load{bytes: mostOfAccount.bytes / 2, records: mostOfAccount.records / 2}
	mostInAll     = load{bytes: mostBodies, records: mostRecords}
)

const (
	mostBodies  = 32 << 20
	mostRecords = 16 * application.MostHeld
	// longPage is the minimum number of records in a batch of a long page.
	longPage = 61

	// MostUnderWay bounds the memory of pages in progress, in bytes. The longest records are 8 KB, in memory both as
	// the store returned them and parsed.
	MostUnderWay = mostBodies + mostRecords*maxRecord
)

// Limits of waiting. Reads are short, so many small pages at once are all answered. Unread answers stay.
const (
	maxWait          = 2 * time.Second
	waitingOfAccount = 128
	waitingInAll     = 1024
)

var errTooManyAnswers = &refusal{
	http.StatusServiceUnavailable, "too-many-answers",
	"Too many answers in progress. Read earlier answers to their end, or close their connections, and repeat the request later.",
}

// answers counts the pages in progress.
type answers struct {
	mu       sync.Mutex
	all      load
	accounts map[int64]share // accounts with pages in progress
	queue    []*underWay     // waiting pages, in the order of arrival
}

func newAnswers() *answers { return &answers{accounts: map[int64]share{}} }

// share has the pages in progress of an account.
type share struct{ short, long load }

// admits reports whether there is room for a page. longWaits: a long page is waiting.
func (s share) admits(page *underWay, longWaits bool) bool {
	of, room := s.short, !longWaits
	if page.long {
		of, room = s.long, false
	}
	return s.short.plus(s.long).plus(page.load).fits(mostOfAccount) && (room || of.plus(page.load).fits(halfOfAccount))
}

// underWay is a page in progress, from before it is read until it is written.
type underWay struct {
	answers  *answers
	account  int64
	long     bool
	load     load
	admitted chan struct{} // closed once it is admitted
}

// begin counts a page of up to limit records, with held of them in memory at once. Without room the page waits in the
// queue: behind other pages of its account, except that short pages pass long ones, and behind all if there is no room
// in total. The caller must release the page.
func (a *answers) begin(ctx context.Context, account int64, limit, held int) (*underWay, error) {
	page := &underWay{
		answers:  a,
		account:  account,
		long:     held >= longPage,
		load:     load{bytes: min(limit*maxRecord, maxPage), records: held},
		admitted: make(chan struct{}),
	}
	if !a.enter(page) {
		return nil, errTooManyAnswers
	}
	select {
	case <-page.admitted: // the usual case
		return page, nil
	default:
	}
	patience := time.NewTimer(maxWait)
	defer patience.Stop()
	refused := error(errTooManyAnswers)
	select {
	case <-page.admitted:
		return page, nil
	case <-patience.C:
	case <-ctx.Done():
		refused = fmt.Errorf("%w: wait for other answers: %w", application.ErrUnavailable, context.Cause(ctx))
	}
	if a.leave(page) {
		return nil, refused
	}
	return page, nil // it was admitted at the same moment
}

// enter adds the page to the queue and admits pages. It reports false if the page can't wait, because the queue is
// full.
func (a *answers) enter(page *underWay) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting, same := len(a.queue), 0
	for _, other := range a.queue {
		if other.account == page.account {
			same++
		}
	}
	a.queue = append(a.queue, page)
	a.admit()
	if waiting < waitingInAll && same < waitingOfAccount {
		return true
	}
	return !a.drop(page)
}

// leave removes a page from the queue and reports whether it was still there.
func (a *answers) leave(page *underWay) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	waited := a.drop(page)
	a.admit() // it may have delayed smaller ones
	return waited
}

func (a *answers) drop(page *underWay) bool {
	i := slices.Index(a.queue, page)
	if i < 0 {
		return false
	}
	a.queue = slices.Delete(a.queue, i, i+1)
	return true
}

// admit admits queued pages for which there is room.
func (a *answers) admit() {
	type class struct {
		account int64
		long    bool
	}
	full := false
	waiting := map[class]bool{} // classes with a waiting page
	a.queue = slices.DeleteFunc(a.queue, func(page *underWay) bool {
		of := class{page.account, page.long}
		switch {
		case full || waiting[of]:
			return false
		case !a.accounts[page.account].admits(page, waiting[class{page.account, true}]):
			waiting[of] = true
			return false
		case !a.all.plus(page.load).fits(mostInAll):
			full = true
			return false
		}
		a.count(page, page.load)
		close(page.admitted)
		return true
	})
}

// count adds a load to the totals, for a page.
func (a *answers) count(page *underWay, l load) {
	a.all = a.all.plus(l)
	of := a.accounts[page.account]
	if page.long {
		of.long = of.long.plus(l)
	} else {
		of.short = of.short.plus(l)
	}
	if of != (share{}) {
		a.accounts[page.account] = of
	} else {
		delete(a.accounts, page.account)
	}
}

// made notes that the records were dropped and only this body is in memory.
func (p *underWay) made(body []byte) { p.becomes(load{bytes: cap(body)}) }

// release notes that nothing is in memory any more.
func (p *underWay) release() { p.becomes(load{}) }

func (p *underWay) becomes(l load) {
	p.answers.mu.Lock()
	defer p.answers.mu.Unlock()
	p.answers.count(p, l.minus(p.load))
	p.load = l
	p.answers.admit()
}
