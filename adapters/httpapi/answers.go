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

// An answer is held in memory until its client has taken it, so pages are counted from before they are read from the
// store until they are written: by account, because a token is what a client can't make more of, and in all. Other
// answers are a record each, of some kilobytes.
//
// The length of a page is unknown until it is made, and its records are held while it is read: batch by batch, each
// written into the body before the next is read. So while a page is read it counts as the longest that it may be, with
// the records of one batch; from then on as its bytes.
//
// A page is short if its batches have fewer than longPage records, else long. Short pages pass long ones: long pages of
// an account take at most half of its share, and while one of them waits short ones take at most the other half, so
// that each class goes on.

// load is what pages take.
type load struct {
	bytes   int // of bodies
	records int // read from the store and not yet written into a body
}

func (l load) plus(m load) load  { return load{l.bytes + m.bytes, l.records + m.records} }
func (l load) minus(m load) load { return load{l.bytes - m.bytes, l.records - m.records} }
func (l load) fits(m load) bool  { return l.bytes <= m.bytes && l.records <= m.records }

const (
	// maxPage is the most bytes of a page's body.
	maxPage = 1 << 20
	// maxRecord is more than any record in a page takes: notes of 2,000 characters that JSON escapes with 6 bytes each,
	// and other texts of the greatest length.
	maxRecord = 16 << 10
)

// batchOf is how many records of a page of up to limit are held at once.
func batchOf(limit int) int { return min(limit, application.MostHeld) }

// What may be under way. No page takes more than a quarter of its account's share.
var (
	mostOfAccount = load{bytes: 4 * maxPage, records: 4 * application.MostHeld}
	halfOfAccount = load{bytes: mostOfAccount.bytes / 2, records: mostOfAccount.records / 2}
	mostInAll     = load{bytes: mostBodies, records: mostRecords}
)

const (
	mostBodies  = 32 << 20
	mostRecords = 16 * application.MostHeld
	// longPage is how many records a batch of a long page has, at least.
	longPage = 61

	// MostUnderWay is how many bytes of memory pages under way take, at most. The longest records are 8 KB, held both
	// as the store returned them and as parsed.
	MostUnderWay = mostBodies + mostRecords*maxRecord
)

// Bounds of waiting: reading is short, so that many small pages at once are all answered; what a client does not read
// stays.
const (
	maxWait          = 2 * time.Second
	waitingOfAccount = 128
	waitingInAll     = 1024
)

var errTooManyAnswers = &refusal{
	http.StatusServiceUnavailable, "too-many-answers",
	"Too many answers under way: earlier ones have to be read to their end, or given up. Repeat the request later.",
}

// answers counts what is under way.
type answers struct {
	mu       sync.Mutex
	all      load
	accounts map[int64]share // those that have any
	queue    []*underWay     // waiting pages, in the order of arrival
}

func newAnswers() *answers { return &answers{accounts: map[int64]share{}} }

// share is what an account has under way.
type share struct{ short, long load }

// admits reports whether there is room for a page. A long one may be waiting.
func (s share) admits(page *underWay, longWaits bool) bool {
	of, room := s.short, !longWaits
	if page.long {
		of, room = s.long, false
	}
	return s.short.plus(s.long).plus(page.load).fits(mostOfAccount) && (room || of.plus(page.load).fits(halfOfAccount))
}

// underWay is a page from before it is read until it is written.
type underWay struct {
	answers  *answers
	account  int64
	long     bool
	load     load
	admitted chan struct{} // closed once it is admitted
}

// begin counts a page of up to limit records, of which so many are held at once. Without room it waits in line: behind
// those of its account, but that short ones pass long ones, and behind all if there is room for none. A page that was
// begun is released.
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
	return page, nil // it was admitted in the same moment
}

// enter reports whether the page counts or waits, which so many may.
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

// leave takes a page out of the line and reports whether it was still there.
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

// admit admits pages in line for which there is room.
func (a *answers) admit() {
	type class struct {
		account int64
		long    bool
	}
	full := false
	waiting := map[class]bool{} // those of which a page waits
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

// count adds to what is under way of a page.
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

// made says that the records were dropped and only this body is held.
func (p *underWay) made(body []byte) { p.becomes(load{bytes: cap(body)}) }

// release says that nothing is held any more.
func (p *underWay) release() { p.becomes(load{}) }

func (p *underWay) becomes(l load) {
	p.answers.mu.Lock()
	defer p.answers.mu.Unlock()
	p.answers.count(p, l.minus(p.load))
	p.load = l
	p.answers.admit()
}
