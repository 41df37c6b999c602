package walcheck

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"

	"resellerd/test/expect"
)

// writers write a WAL as processes that share a file do: in ascending order, each transaction once the one before it is
// complete. A step is one call of the system.
type writers struct {
	random   *rand.Rand
	restarts bool // the WAL is reused from its start now and then

	file    []byte
	steps   []func() // of what is being written
	salt    uint64
	sum     checksum // of the last commit
	frames  int      // up to the last commit
	commits int      // of this generation
}

const testPage = 512

func newWriters(seed uint64, restarts bool) *writers {
	w := &writers{random: rand.New(rand.NewPCG(seed, 1)), restarts: restarts}
	w.restart()
	w.finish()
	return w
}

func (w *writers) write(at int, content []byte) {
	w.steps = append(w.steps, func() {
		if missing := at + len(content) - len(w.file); missing > 0 {
			w.file = append(w.file, make([]byte, missing)...)
		}
		copy(w.file[at:], content)
	})
}

// restart begins a new generation, and may cut off what the one before has left.
func (w *writers) restart() {
	w.salt, w.frames, w.commits = w.random.Uint64(), 0, 0
	header := binary.BigEndian.AppendUint32(nil, 0x377f0682)
	header = binary.BigEndian.AppendUint32(header, 3007000)
	header = binary.BigEndian.AppendUint32(header, testPage)
	header = binary.BigEndian.AppendUint32(header, 0)
	header = binary.BigEndian.AppendUint64(header, w.salt)
	w.sum = checksum{}.over(header, binary.LittleEndian)
	if w.random.IntN(4) == 0 {
		w.steps = append(w.steps, func() { w.file = w.file[:0] })
	}
	w.write(0, append(header, w.sum.stored()...))
}

func (c checksum) stored() []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, c[0]), c[1])
}

// transaction writes some frames, by two calls each. One that fails is written over by the next.
func (w *writers) transaction() {
	count, sum, failed := 1+w.random.IntN(6), w.sum, w.random.IntN(8) == 0
	var all []byte
	for n := range count {
		head := binary.BigEndian.AppendUint32(nil, 1+w.random.Uint32N(50))
		commit := uint32(0)
		if n == count-1 {
			commit = 50
		}
		head = binary.BigEndian.AppendUint32(head, commit)
		page := make([]byte, testPage)
		for i := range page {
			page[i] = byte(w.random.Uint32())
		}
		sum = sum.over(head, binary.LittleEndian).over(page, binary.LittleEndian)
		head = append(binary.BigEndian.AppendUint64(head, w.salt), sum.stored()...)
		all = append(append(all, head...), page...)
	}
	at := walHeader + w.frames*(frameHeader+testPage)
	for from := 0; from < len(all); from += frameHeader + testPage {
		w.write(at+from, all[from:from+frameHeader])
		w.write(at+from+frameHeader, all[from+frameHeader:from+frameHeader+testPage])
	}
	if !failed {
		w.sum, w.frames, w.commits = sum, w.frames+count, w.commits+1
	}
}

// step makes one call of the system.
func (w *writers) step() {
	if len(w.steps) == 0 {
		if w.restarts && w.commits > 0 && w.random.IntN(25) == 0 {
			w.restart()
		} else {
			w.transaction()
		}
	}
	w.steps[0]()
	w.steps = w.steps[1:]
}

// finish makes the calls of what is being written.
func (w *writers) finish() {
	for len(w.steps) > 0 {
		w.step()
	}
}

// look reads the file while it is written.
type look struct {
	w  *writers
	at int
}

func (l *look) Read(p []byte) (int, error) {
	if l.at > 0 { // the first one reads all of the header
		for range l.w.random.IntN(1 + l.w.random.IntN(12)) {
			l.w.step()
		}
	}
	n := copy(p[:min(len(p), walHeader+l.w.random.IntN(3000))], l.w.file[min(l.at, len(l.w.file)):])
	l.at += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (l *look) ReadAt(p []byte, at int64) (int, error) {
	n := copy(p, l.w.file[min(int(at), len(l.w.file)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (l *look) Close() error { return nil }

func (w *writers) check() error {
	return check("no-file", func() (log, error) { return &look{w: w}, nil })
}

// TestAWALThatIsWrittenMeanwhileIsNoDamage looks at it while other processes append to it, begin it again or cut it off
// between two reads.
func TestAWALThatIsWrittenMeanwhileIsNoDamage(t *testing.T) {
	t.Parallel()
	suspected := 0
	for seed := range uint64(100) {
		w := newWriters(seed, true)
		for range 200 {
			w.step()
		}
		if found, err := lookAt(&look{w: w}, "no-file"); err != nil || found.found {
			suspected++
		}
		expect.Error(t, w.check(), nil, "seed %d", seed)
	}
	if suspected == 0 {
		t.Error("no write came between two reads of a look: this test proves nothing")
	}
}

// TestDamageIsFoundWhileTheWALIsWritten flips a bit in front of a commit that has a successor.
func TestDamageIsFoundWhileTheWALIsWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(80) {
		w := newWriters(seed, false)
		for w.commits < 2 {
			w.transaction()
		}
		w.finish()
		before := walHeader + (frameHeader+testPage)*w.frames
		for w.commits < 10 {
			w.transaction()
		}
		w.finish()
		w.file[walHeader+w.random.IntN(before-walHeader)] ^= 1 << w.random.IntN(8)
		expect.Error(t, w.check(), ErrDamaged, "seed %d", seed)
	}
}
