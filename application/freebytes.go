package application

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
)

// ErrTooManyBytesKept refuses a change that costs no credits to a caller whose changes of that kind have reached the
// day's limit of bytes.
var ErrTooManyBytesKept = fault.New(fault.Exhausted, "too-many-bytes-kept", "What may be kept in a day of changes that cost no credits is used up.")

// TooManyBytesKept is ErrTooManyBytesKept with the time to wait.
type TooManyBytesKept struct{ Wait time.Duration }

// Error returns the sentence for people, with the figures.
func (e *TooManyBytesKept) Error() string {
	return fmt.Sprintf("%s It starts again in %s, at midnight UTC.", ErrTooManyBytesKept, (e.Wait + time.Second - 1).Truncate(time.Second))
}

// Unwrap makes the error match ErrTooManyBytesKept.
func (e *TooManyBytesKept) Unwrap() error { return ErrTooManyBytesKept }

const (
	day = 24 * time.Hour
	// mostCounted bounds the callers that are counted at a time, of 50 bytes each at most.
	mostCounted = 1 << 16
	// MostCounted is how many bytes of memory that takes, including the removal of half of them.
	MostCounted = mostCounted * (50 + 16)
	// lateBy is how long after its instant a command may ask: a late one of yesterday counts today, and a clock that
	// goes back further was wrong.
	lateBy = time.Minute
)

// freeBytes counts the bytes that callers have stored, in this process and since midnight UTC, by changes that cost no
// credits. An account's owner, and each of its keys and staff, has a limit of its own: a key leaves its owner what it
// needs to revoke it. A caller below the limit may store once more, whatever that takes.
type freeBytes struct {
	most int64 // a day, 0: no limit

	mu     sync.Mutex
	begins time.Time // the day
	latest time.Time // latest instant of a command
	kept   map[session.Holder]int64
}

// take counts bytes for a caller, or returns *TooManyBytesKept if none are left, unless it is to be done all the same.
// 0 bytes only check.
func (f *freeBytes) take(by session.Holder, bytes int64, allTheSame bool, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	if f.kept[by] >= f.most && !allTheSame {
		wait := f.begins.Add(day).Sub(now)
		return fault.After(wait, &TooManyBytesKept{wait})
	}
	if bytes == 0 {
		return nil
	}
	if f.kept[by] += bytes; len(f.kept) > mostCounted {
		f.forget()
	}
	return nil
}

// giveBack returns bytes that were taken at this instant and not stored.
func (f *freeBytes) giveBack(by session.Holder, bytes int64, taken time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if has := f.kept[by]; has > 0 && !taken.Before(f.begins) {
		f.kept[by] = max(0, has-bytes)
	}
}

// copyOf makes to count for one caller, from what it has stored on.
func (f *freeBytes) copyOf(by session.Holder, now time.Time, to *freeBytes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn(now)
	to.most, to.begins, to.latest, to.kept = f.most, f.begins, f.latest, map[session.Holder]int64{by: f.kept[by]}
}

// turn begins a new day if now is one.
func (f *freeBytes) turn(now time.Time) {
	wasAhead := now.Before(f.latest.Add(-lateBy))
	if wasAhead || now.After(f.latest) {
		f.latest = now
	}
	if today := now.Truncate(day); f.kept == nil || today.After(f.begins) || wasAhead && !today.Equal(f.begins) {
		f.begins, f.kept = today, map[session.Holder]int64{}
	}
}

// forget drops the callers that have stored the least, half of them or more.
func (f *freeBytes) forget() {
	stored := make([]int64, 0, len(f.kept))
	for _, bytes := range f.kept {
		stored = append(stored, bytes)
	}
	slices.Sort(stored)
	for by, bytes := range f.kept {
		if bytes <= stored[len(stored)/2] {
			delete(f.kept, by)
		}
	}
}

// meter counts what one command stores. The nil meter is that of a command without a limit, and counts nothing.
type meter struct {
	free      *freeBytes
	by        session.Holder
	emergency bool // nothing is refused
	at        time.Time
	stored    int64 // so far
	taken     int64 // of what the caller may store
}

// meter returns the meter of a command of the caller. An admin has no limit.
func (s *kernel) meter(by session.Holder, actor *reseller.Reseller, emergency bool, now time.Time) *meter {
	if s.free.most == 0 || actor.MayAudit() == nil {
		return nil
	}
	return &meter{free: &s.free, by: by, emergency: emergency, at: now}
}

// left returns *TooManyBytesKept if the caller may store nothing more.
func (m *meter) left() error {
	if m == nil {
		return nil
	}
	return m.free.take(m.by, 0, m.emergency, m.at)
}

// stores announces this many bytes, or returns *TooManyBytesKept: a store may write a command's changes to the disk
// even if that is rolled back.
func (m *meter) stores(bytes int64) error {
	if m == nil {
		return nil
	}
	m.stored += bytes
	return m.left()
}

// take counts what was stored, or returns *TooManyBytesKept.
func (m *meter) take() error {
	if m == nil {
		return nil
	}
	err := m.free.take(m.by, m.stored, m.emergency, m.at)
	if err == nil {
		m.taken = m.stored
	}
	return err
}

// giveBack returns what was taken and not stored.
func (m *meter) giveBack() {
	if m != nil && m.taken > 0 {
		m.free.giveBack(m.by, m.taken, m.at)
		m.taken = 0
	}
}

// Bytes of a record beside its texts, indexes included: upper bounds for the stores of this module. Texts count twice,
// since a page may be half full, and so does a record that replaces an earlier one.
const (
	resellerBytes  = 1 << 10
	lineBytes      = 1 << 10
	movementBytes  = 1 << 10
	tombstoneBytes = 512
	keyBytes       = 512
	entryBytes     = 1 << 10
	ancestorBytes  = 128 // for each reseller above, in whose lists the record is
	trialsBytes    = 64  // for each slot in which trials were counted
	principalBytes = 1 << 12
	factorBytes    = 1 << 12
	messagesBytes  = 1 << 10
	webhookBytes   = 1 << 11
	progressBytes  = 1 << 15 // of the deliveries of a webhook, the latest attempts included
	waitingBytes   = 256     // for each entry that waits to be sent again
	jobBytes       = 1 << 13 // of an order for many lines
	itemBytes      = 128     // for each of the lines
)

func (m *meter) reseller(r *reseller.Reseller) error {
	if m == nil {
		return nil
	}
	of := r.State()
	texts := of.Texts()
	return m.stores(resellerBytes + ancestorBytes*int64(len(of.Ancestors)) + trialsBytes*int64(len(of.Trials)) + twice(texts[:]...))
}

func (m *meter) line(l *line.Line) error {
	if m == nil {
		return nil
	}
	of := l.State()
	texts := of.Texts()
	return m.stores(lineBytes + ancestorBytes*int64(len(of.Owner.Ancestors)) + twice(texts[:]...))
}

func (m *meter) movement(of credit.Movement) error {
	return m.stores(movementBytes + twice(of.Request, of.Notes))
}

func (m *meter) key(of ports.KeyRecord) error {
	return m.stores(keyBytes + twice(of.Key, of.Key, string(of.Request), string(of.Body)))
}

func (m *meter) entry(of *journal.Entry) error {
	if m == nil {
		return nil
	}
	texts := []string{of.Actor.Name, of.Actor.Address, of.Request, of.Reason}
	for _, c := range of.Changes {
		for _, v := range [...]journal.Value{c.Before, c.After} {
			if text, is := v.Any().(string); is {
				texts = append(texts, text)
			}
		}
	}
	return m.stores(entryBytes + ancestorBytes*int64(len(of.Account.Ancestors)) + twice(texts...))
}

func twice(texts ...string) (bytes int64) {
	for _, text := range texts {
		bytes += 2 * int64(len(text))
	}
	return bytes
}
