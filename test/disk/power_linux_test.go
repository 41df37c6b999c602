package disk

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
	"resellerd/test/journals"
	"resellerd/test/ramdisk"
)

// The flags of the campaign.
var (
	points = flag.Int("disk.points", 80, "at how many points the power is cut")
	seed   = flag.Uint64("disk.seed", 0, "the seed of an earlier run; 0: 1 in a short run, any in a campaign")
)

// fast returns a folder in memory where the machine has one: no test here waits for a real disk.
func fast(t *testing.T) string {
	t.Helper()
	ramdisk.Use(1 << 30)
	return t.TempDir()
}

// recorder records the calls of a life.
type recorder struct {
	mu    sync.Mutex
	calls []call
}

func (r *recorder) before(call) (int32, int) { return 0, 0 }

func (r *recorder) after(c call) {
	c.data = bytes.Clone(c.data)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

func (r *recorder) position() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// moment is a state of the store that the store reported as durable after a number of calls.
type moment struct {
	state state
	at    int
}

// life is a store that was opened on a disk, used and closed, as it was recorded.
type life struct {
	base  *disk // on which it was opened
	calls []call
	// history are the states of the store from the last one on that is certain in base, in which the life began or one
	// commit before.
	history []moment
}

// allowed returns the states that a power cut after so many calls may leave: the last certain one, and the next one.
func (l *life) allowed(position int) (from, to int) {
	for i, m := range l.history {
		if m.at <= position {
			from = i
		}
	}
	return from, min(from+1, len(l.history)-1)
}

// TestPowerCuts records the store at work, and cuts the power at many points of the record.
//
//nolint:paralleltest // how the store makes checkpoints is the same for all of the process
func TestPowerCuts(t *testing.T) {
	const campaign = 2_000 // points
	first := max(*seed, 1)
	if *seed == 0 && *points >= campaign {
		first += rand.Uint64() >> 16
	}
	c := &powerCuts{folder: fast(t)}
	for n := first; int(c.points.Load()) < *points && !t.Failed(); n++ {
		if err := c.run(t, n); err != nil {
			t.Errorf("seed %d: %v", n, err)
		}
		if t.Failed() {
			t.Logf("repeat it with make disks SEED=%d POINTS=%d", n, perRun)
		}
	}
	t.Logf("seeds from %d on: %d points in %d lives of %d commits", first, c.points.Load(), c.lives, c.commits)
}

const (
	livesPerRun = 5
	perRun      = livesPerRun * 40 // points
	// auditedOf every so many images are audited, besides being compared.
	auditedOf = 4
)

// checkpoints are after how many pages in the WAL the store makes a checkpoint, in a run. Its own 4,000 is among them:
// a run rarely gets so far, but its end does.
var checkpoints = []int{16, 60, 250, 4000}

// powerCuts is a campaign.
type powerCuts struct {
	folder         string
	points         atomic.Int64
	lives, commits int
}

// run lets an office live several times on one disk. Each life ends in a kill or a power cut, and the next one begins
// on the files that remain.
func (c *powerCuts) run(t *testing.T, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 2))
	restore := slices.Clone(engine.Durably)
	defer func() { engine.Durably = restore }()
	engine.Durably = append(slices.Clone(engine.Durably), "wal_autocheckpoint = "+
		strconv.Itoa(checkpoints[random.IntN(len(checkpoints))]))
	if seed%2 == 0 { // each time that the WAL is used again from its start, it is cut
		engine.Durably = append(engine.Durably, "journal_size_limit = 16384")
	}
	o, err := newOffice(seed)
	if err != nil {
		return err
	}
	base, history := newDisk(), []moment(nil)
	for n := range livesPerRun {
		l, err := c.live(t.Context(), o, base, history, random)
		if err != nil {
			return fmt.Errorf("life %d: %w", n+1, err)
		}
		c.lives++
		c.commits += len(l.history) - 1
		if err := c.cutEverywhere(t.Context(), l, random); err != nil {
			return fmt.Errorf("life %d: %w", n+1, err)
		}
		if base, history, err = c.end(t.Context(), l, random); err != nil {
			return fmt.Errorf("life %d: %w", n+1, err)
		}
	}
	return nil
}

// live opens a store on the present content of the disk, and uses it.
func (c *powerCuts) live(ctx context.Context, o *office, base *disk, history []moment,
	random *rand.Rand) (l *life, err error) {
	folder, err := lay(c.folder, base.present())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	record := &recorder{}
	stop, err := watch(folder, record)
	if err != nil {
		return nil, err
	}
	defer stop()
	l = &life{base: base}
	s, found, err := opened(ctx, folder)
	if err != nil {
		return nil, err
	}
	if len(history) == 0 {
		history = []moment{{state: found}}
	}
	// The store serves the records that it found: they have to last.
	at := slices.IndexFunc(history, func(m moment) bool { return m.state == found })
	if at < 0 {
		return nil, errors.Join(errors.New("the store was opened in a state in which it never was"), s.Close())
	}
	l.history = history[:at+1]
	l.history[at].at = record.position()
	r, err := newReader(folder)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	var failed error
	look := r.state
	s.Observe(func(ports.Commit) {
		now, err := look()
		failed = errors.Join(failed, err)
		l.history = append(l.history, moment{now, record.position()})
	})
	err = o.open(ctx, s)
	for range 5 + random.IntN(60) {
		if err != nil {
			break
		}
		err = o.round(ctx, 1+random.IntN(2)*random.IntN(6))
		switch random.IntN(60) {
		case 0:
			err = errors.Join(err, s.Ready(ctx))
		case 1:
			_, dropped := s.DropExpired(ctx, o.now.Add(-24*time.Hour), o.now.Add(7*24*time.Hour), 50)
			err = errors.Join(err, dropped)
			// Older requests can't be repeated, and the store stays small.
		}
	}
	err = errors.Join(err, r.Close())
	// the store returns ids when it closes, and has to be the last to close the file
	look = func() (found state, err error) {
		r, err := newReader(folder)
		if err != nil {
			return found, err
		}
		found, err = r.state()
		return found, errors.Join(err, r.Close())
	}
	err = errors.Join(err, s.Close(), failed)
	l.calls = record.calls
	return l, err
}

// cutEverywhere cuts the power at points of a life, and opens what each leaves.
func (c *powerCuts) cutEverywhere(ctx context.Context, l *life, random *rand.Rand) error {
	var flushes []int
	for i, made := range l.calls {
		if made.kind == flushed || made.kind == deleted {
			flushes = append(flushes, i)
		}
	}
	positions := make([]int, min(perRun, *points)/livesPerRun)
	for i := range positions {
		positions[i] = random.IntN(len(l.calls) + 1)
		if len(flushes) > 0 && i%2 == 0 { // right before a flush there is most to lose, and right after it nothing
			positions[i] = flushes[random.IntN(len(flushes))] + random.IntN(2)
		}
	}
	slices.Sort(positions)
	var working sync.WaitGroup
	var failed error
	var mu sync.Mutex
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	d, done := l.base.clone(), 0
	for salt, p := range positions {
		for ; done < p; done++ {
			d.do(l.calls[done])
		}
		how := cut(random.IntN(int(cuts)))
		from, to := l.allowed(p)
		files := d.after(how, random)
		if random.IntN(20) == 0 { // an index of the WAL that is no use
			files[database+"-shm"] = noise(random, 32<<10)
		}
		turns <- struct{}{}
		working.Go(func() {
			defer func() { <-turns }()
			defer c.points.Add(1)
			if err := c.check(ctx, files, l.history[from:to+1], salt%auditedOf == 0); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, fmt.Errorf(
					"after %d of %d calls, %s of the unflushed writes survived: states %d to %d of %d are allowed: %w",
					p, len(l.calls), how, from, to, len(l.history), err))
			}
		})
	}
	working.Wait()
	return failed
}

func noise(random *rand.Rand, size int) []byte {
	made := make([]byte, size)
	for i := range made {
		made[i] = byte(random.Uint32())
	}
	return made
}

// check opens what a power cut left.
func (c *powerCuts) check(ctx context.Context, files map[string][]byte, allowed []moment, examine bool) (err error) {
	folder, err := lay(c.folder, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, found, err := opened(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if !slices.ContainsFunc(allowed, func(m moment) bool { return m.state == found }) {
		err = errors.New("the store is in another state")
	}
	if examine || err != nil {
		findings, failed := audited(ctx, folder)
		_, unsound := journals.Sound(ctx, s)
		if err = errors.Join(err, failed, unsound); len(findings) > 0 {
			err = errors.Join(err, fmt.Errorf("the audit finds %q", findings))
		}
	}
	return err
}

// end ends a life at some point: the process is killed, or the power is cut. It returns the disk that is left, and
// which states the next life may find.
func (c *powerCuts) end(ctx context.Context, l *life, random *rand.Rand) (*disk, []moment, error) {
	position := random.IntN(len(l.calls) + 1)
	d := l.base.clone()
	for _, made := range l.calls[:position] {
		d.do(made)
	}
	from, to := l.allowed(position)
	left := slices.Clone(l.history[from : to+1])
	for i := range left {
		left[i].at = 0
	}
	if random.IntN(2) == 0 {
		left[len(left)-1].at = 1 << 62 // not certain before the store is open again
		left[0].at = 0
		return d, left, nil
	}
	files := d.after(cut(random.IntN(int(cuts))), random)
	found, err := stateOf(ctx, c.folder, files)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(left, func(m moment) bool { return m.state == found })
	if at < 0 {
		return nil, nil, errors.New("the store is in another state at the end of a life")
	}
	return laid(files), left[at : at+1], nil
}
