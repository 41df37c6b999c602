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
// store until they are written: by reseller, because a token is what a client can't make more of, and in all. Other
// answers are a record each, of some kilobytes.
//
// The length of a page is unknown until it is made, and meanwhile its records are held as well. So while it is read it
// counts as the longest that it may be, with all the records that it may have; from then on as its bytes.

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

// What may be under way.
var (
	mostOfReseller = load{bytes: 4 << 20, records: maxLimit}
	mostInAll      = load{bytes: mostBodies, records: mostRecords}
)

const (
	mostBodies  = 32 << 20
	mostRecords = 4 * maxLimit

	// MostUnderWay is how many bytes of memory pages under way take, at most. The longest records are 8 KB, held both
	// as the store returned them and as parsed.
	MostUnderWay = mostBodies + mostRecords*maxRecord
)

// Bounds of waiting: reading is short, so that many small pages at once are all answered; what a client does not read
// stays.
const (
	maxWait           = 2 * time.Second
	waitingOfReseller = 128
	waitingInAll      = 1024
)

var errTooManyAnswers = &refusal{
	http.StatusServiceUnavailable, "too-many-answers", "Too many answers under way",
	"Too many answers under way: earlier ones have to be read to their end, or given up. Repeat the request later.",
}

// answers counts what is under way.
type answers struct {
	mu        sync.Mutex
	all       load
	resellers map[int64]load // those that have any
	queue     []*underWay    // waiting pages, in the order of arrival
}

func newAnswers() *answers { return &answers{resellers: map[int64]load{}} }

// underWay is a page from before it is read until it is written.
type underWay struct {
	answers  *answers
	reseller int64
	load     load
	admitted chan struct{} // closed once it is admitted
}

// begin counts a page of up to so many records. Without room it waits in line: behind those of its reseller, and behind
// all if there is room for none. A page that was begun is released.
func (a *answers) begin(ctx context.Context, reseller int64, records int) (*underWay, error) {
	page := &underWay{
		answers:  a,
		reseller: reseller,
		load:     load{bytes: min(records*maxRecord, maxPage), records: records},
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
	limit := time.NewTimer(maxWait)
	defer limit.Stop()
	refused := error(errTooManyAnswers)
	select {
	case <-page.admitted:
		return page, nil
	case <-limit.C:
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
		if other.reseller == page.reseller {
			same++
		}
	}
	a.queue = append(a.queue, page)
	a.admit()
	if waiting < waitingInAll && same < waitingOfReseller {
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
	full := false
	waiting := map[int64]bool{} // resellers with a waiting page
	a.queue = slices.DeleteFunc(a.queue, func(page *underWay) bool {
		switch {
		case full || waiting[page.reseller]:
			return false
		case !a.resellers[page.reseller].plus(page.load).fits(mostOfReseller):
			waiting[page.reseller] = true
			return false
		case !a.all.plus(page.load).fits(mostInAll):
			full = true
			return false
		}
		a.count(page.reseller, page.load)
		close(page.admitted)
		return true
	})
}

func (a *answers) count(reseller int64, l load) {
	a.all = a.all.plus(l)
	if of := a.resellers[reseller].plus(l); of != (load{}) {
		a.resellers[reseller] = of
	} else {
		delete(a.resellers, reseller)
	}
}

// made says that the records were dropped and only this body is held.
func (p *underWay) made(body []byte) { p.becomes(load{bytes: cap(body)}) }

// release says that nothing is held any more.
func (p *underWay) release() { p.becomes(load{}) }

func (p *underWay) becomes(l load) {
	p.answers.mu.Lock()
	defer p.answers.mu.Unlock()
	p.answers.count(p.reseller, l.minus(p.load))
	p.load = l
	p.answers.admit()
}
