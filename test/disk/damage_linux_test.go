package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var damages = flag.Int("disk.damages", 12, "how many times bytes that were flushed are damaged")

const page = 4096

// hurt is damage to the content of a disk.
type hurt struct {
	name string
	do   func(content []byte, unit int64, random *rand.Rand)
}

var hurts = []hurt{
	{"a bit is flipped", func(c []byte, _ int64, random *rand.Rand) {
		c[random.IntN(len(c))] ^= 1 << random.IntN(8)
	}},
	{"a sector is zeroed", func(c []byte, _ int64, random *rand.Rand) {
		clear(part(c, sector, random))
	}},
	{"a page is zeroed", func(c []byte, unit int64, random *rand.Rand) {
		clear(part(c, unit, random))
	}},
	{"a sector is noise", func(c []byte, _ int64, random *rand.Rand) {
		copy(part(c, sector, random), noise(random, sector))
	}},
	{"two pages are swapped", func(c []byte, unit int64, random *rand.Rand) {
		a, b := part(c, unit, random), part(c, unit, random)
		kept := bytes.Clone(a)
		copy(a, b[:min(len(a), len(b))])
		copy(b, kept[:min(len(a), len(b))])
	}},
	{"a page overwrites another", func(c []byte, unit int64, random *rand.Rand) {
		copy(part(c, unit, random), part(c, unit, random))
	}},
}

func part(c []byte, unit int64, random *rand.Rand) []byte {
	from := random.Int64N((int64(len(c))+unit-1)/unit) * unit
	return c[from:min(from+unit, int64(len(c)))]
}

// reads are all reads of clients that do not depend on the clock.
func reads() (all []request) {
	about := func(id int, paths ...string) {
		for _, path := range paths {
			all = append(all, request{administrator, "GET", strings.ReplaceAll(path, "ID", fmt.Sprint(id)), "", ""})
		}
	}
	about(0, "/users?limit=500", "/lines?limit=500", "/lines?limit=500&status=1", "/ledger/proof",
		"/events?order=asc&limit=500")
	for id := 2; id < 14; id++ {
		about(id, "/users/ID", "/users/ID/ledger?limit=500", "/lines?owner=ID&limit=500", "/lines?tree=ID&limit=500&status=1",
			"/users?tree=ID", "/events?account=ID&limit=500", "/events?tree=ID&limit=500", "/reports/summary?account=ID")
	}
	for id := 1; id < 60; id++ {
		about(id, "/lines/ID", "/events?line=ID")
	}
	return all
}

// verdict is the result of damage.
type verdict struct {
	state    state // of the store, 0 where it was not opened
	answers  []answer
	findings []string
	err      error // why it was not opened
}

// asked opens the store in files, reads all records, and audits it.
func asked(ctx context.Context, parent string, files map[string][]byte, now time.Time) (v verdict, err error) {
	folder, err := lay(parent, files)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, found, refused := opened(ctx, folder)
	if refused != nil {
		v.err = refused
		return v, nil
	}
	defer func() { _ = s.Close() }() // what is damaged may not be closed well
	v.state = found
	o, err := newOffice(1)
	if err != nil {
		return v, err
	}
	o.now = now
	if v.err = o.open(ctx, s); v.err != nil {
		return v, nil
	}
	for _, r := range reads() {
		a := o.send(ctx, r)
		if a.status >= 400 {
			a.body = nil
		}
		v.answers = append(v.answers, a)
	}
	if v.findings, err = audited(ctx, folder); err != nil {
		v.findings = append(v.findings, err.Error())
	}
	return v, nil
}

// wrong returns an answer that differs from the right one, if any. An error is no difference; failed reports that there
// were some.
func (v verdict) wrong(right []answer) (which string, failed bool) {
	all := reads()
	for i, a := range v.answers {
		switch want := right[i]; {
		case a.status >= 500:
			failed = true
		case a.status != want.status || !bytes.Equal(a.body, want.body):
			which = fmt.Sprintf("%s is answered with %d %s, instead of %d %s", all[i], a.status, a.body, want.status,
				want.body)
		}
	}
	return which, failed
}

// damaged is the damage to a file.
type damaged struct {
	name, target string
	files        map[string][]byte
	history      []moment // up to the content of the files
}

// unflushed returns the state that damage to the WAL may leave in silence, if any. Where it reaches the last
// transaction, or takes away what says that the one before has ended, the WAL is what a power cut leaves while one is
// written: it ends before the first transaction that is damaged, which is the last one or the one before.
func (d damaged) unflushed(left []byte) (state, bool) {
	const header, frame = 32, 24 + page
	whole := d.files[d.target]
	if d.target == database || len(whole) != len(left) {
		return 0, false
	}
	first, last := -1, -1
	for i := range whole {
		if whole[i] != left[i] {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	begins, lost := header, 0 // the last transaction; transactions from the first damaged one on
	for at := header; at+frame < len(whole); at += frame {
		if commit := binary.BigEndian.Uint32(whole[at+4:]) != 0; commit {
			begins = at + frame
			if first < begins {
				lost++
			}
		}
	}
	lost++
	ended := max(header, begins-frame) // where it says that a transaction begins behind it
	says := func(wal []byte) []byte { return wal[ended:][:24] }
	if reached := last >= begins || !bytes.Equal(says(whole), says(left)); first < 0 || !reached ||
		lost >= len(d.history) {
		return 0, false
	}
	return d.history[len(d.history)-1-lost].state, true
}

// damage damages it once, and says how that was found.
func (d damaged) damage(ctx context.Context, parent string, whole verdict, now time.Time,
	random *rand.Rand) (outcome string, err error) {
	h := hurts[random.IntN(len(hurts))]
	unit := int64(page)
	if d.target != database {
		unit += 24
	}
	files := maps.Clone(d.files)
	files[d.target] = bytes.Clone(d.files[d.target])
	h.do(files[d.target], unit, random)
	v, err := asked(ctx, parent, files, now)
	if err != nil {
		return "", err
	}
	which, failed := v.wrong(whole.answers)
	switch {
	case v.err != nil:
		return "found at the open", nil //nolint:nilerr // that is how it has to be
	case len(v.findings) > 0:
		return "found by the audit", nil
	case failed:
		return "found by a read", nil
	case which == "":
		return "every answer is right", nil
	}
	if left, may := d.unflushed(files[d.target]); may && v.state == left {
		return "the same as a last transaction that was never flushed", nil
	}
	return "in silence", fmt.Errorf("%s, and nothing reports it: %s", h.name, which)
}

// TestDamage damages flushed data, in the database and in the WAL of a killed store. The damage has to be found:
// by the open, by an answer that is an error, or by the audit. Otherwise every answer has to be right.
//
//nolint:paralleltest // see TestPowerCuts
func TestDamage(t *testing.T) {
	parent := fast(t)
	first := max(*seed, 1)
	o, err := newOffice(first)
	if err != nil {
		t.Fatal(err)
	}
	c := &powerCuts{folder: parent}
	l, err := c.live(t.Context(), o, newDisk(), nil, rand.New(rand.NewPCG(first, 7)))
	if err != nil {
		t.Fatal(err)
	}
	closed, killed := l.base.clone(), l.base.clone()
	last := len(l.history) - 1
	for i, made := range l.calls {
		closed.do(made)
		if i < l.history[last].at {
			killed.do(made)
		}
	}
	for _, d := range []damaged{
		{"the file of a store", database, closed.present(), l.history},
		{"the file of a store that was killed", database, killed.present(), l.history},
		{"the WAL of a store that was killed", database + "-wal", killed.present(), l.history},
	} {
		whole, err := asked(t.Context(), parent, d.files, o.now)
		if err := errors.Join(err, whole.err); err != nil || len(whole.findings) > 0 {
			t.Fatal(whole.findings, err)
		}
		if _, failed := whole.wrong(whole.answers); failed {
			t.Fatal("a store that is whole answers with an error")
		}
		var mu sync.Mutex
		seen := map[string]int{}
		var next atomic.Int64
		var working sync.WaitGroup
		for range 48 { // a store that can't be opened is tried again, with rests in between
			working.Go(func() {
				for n := next.Add(1); n <= int64(*damages); n = next.Add(1) {
					random := rand.New(rand.NewPCG(first, uint64(n)))
					outcome, err := d.damage(t.Context(), parent, whole, o.now, random)
					if err != nil {
						t.Errorf("%s, damage %d, seed %d: %v", d.name, n, first, err)
					}
					mu.Lock()
					seen[outcome]++
					mu.Unlock()
				}
			})
		}
		working.Wait()
		t.Logf("%s: %v", d.name, seen)
	}
	t.Logf("seed %d, %d times each", first, *damages)
}
