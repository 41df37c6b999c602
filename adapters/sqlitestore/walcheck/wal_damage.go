// Package walcheck finds damage in a WAL that SQLite would take for its end, and so lose commits.
package walcheck

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"resellerd/adapters/sqlitestore/engine"
)

// ErrDamaged refuses a file whose WAL can't be read completely any more.
var ErrDamaged = errors.New(
	"the log beside the file (-wal) is damaged, and commits that were acknowledged are behind the damage: " +
		"keep a copy of the file and of its -wal, and restore a backup; sqlite3 opens the copy as it was before the damage")

// ErrOfAnother refuses a file whose WAL another file has left.
var ErrOfAnother = errors.New(
	"the log beside the file (-wal) is not its own: it is of an earlier file in this place, whose process was killed. " +
		"To use this file as it is, move the -wal and the -shm to another folder; they have the latest records of the earlier file")

// SQLite takes the first frame of a WAL that does not fit for its end, since a crash leaves it so: written, not flushed
// and never acknowledged. If the disk has damaged flushed frames, all commits from there on would be lost silently. The
// frames behind distinguish the two: each has a checksum that continues that of the frame before, and a transaction is
// written only once the one before is flushed. So a commit that has a successor was on the disk, with all that came
// before it.
//
// Damage to the last transaction of a WAL can't be distinguished from one that was never flushed, nor can damage to
// the frame that ends the one before: the two then look like one.

const (
	walHeader   = 32
	frameHeader = 24
)

// walFrame is a frame as it stands in the file.
type walFrame struct {
	page   uint32
	commit bool   // is the last of a transaction
	fits   bool   // to the frame before it
	salt   uint64 // of its generation: the WAL is reused from its start
}

// checksum is that of a WAL, which continues from frame to frame.
type checksum [2]uint32

func (s checksum) over(content []byte, order binary.ByteOrder) checksum {
	for ; len(content) >= 8; content = content[8:] {
		s[0] += order.Uint32(content) + s[1]
		s[1] += order.Uint32(content[4:]) + s[0]
	}
	return s
}

func checksumAt(content []byte) checksum {
	return checksum{binary.BigEndian.Uint32(content), binary.BigEndian.Uint32(content[4:])}
}

// A look reads the WAL from its start to its end while other processes may write to it. It can find a frame as it was
// before a write, and the frames behind it as they are after that write. It can find the header of one generation, and
// frames of the next one. Neither is damage. A second look does not find the same again: processes write the WAL in
// ascending order, so what the first look found behind the frame was written after the frame, and a frame with a
// flushed commit behind it is not written again before the WAL is reused from its start, which changes the header.

// loss is where a look found commits lost. The zero value is none.
type loss struct {
	header [walHeader]byte // of its generation
	frame  int             // the first that does not fit
	behind int             // the commit behind it that was flushed
	found  bool
}

// log is a WAL that is open.
type log interface {
	io.ReadCloser
	io.ReaderAt
}

// Check returns ErrDamaged if the WAL of the file at path has lost commits: if two looks, one after the other, found
// the same loss in the same generation. Other processes may write to it.
func Check(path string) error {
	path, err := filepath.EvalSymlinks(path) // what is beside it is beside the file itself
	if err != nil {
		return err
	}
	if err := Owns(path); err != nil {
		return err
	}
	return check(path, func() (log, error) { return os.Open(path + "-wal") })
}

// Owns returns ErrOfAnother if the file at path is missing, empty or has never had a WAL, and there is one with
// something in it. SQLite would read that as a part of the file, or remove it. A file is marked for its WAL, by two
// bytes, before it gets one, and a backup is not.
func Owns(path string) error {
	wal, err := os.Stat(path + "-wal")
	if err != nil || wal.Size() <= walHeader {
		return nil // check reports why it can't be read
	}
	file, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && file.Size() == 0 {
		return ErrOfAnother
	}
	c, err := engine.Connect(path, engine.Mode("ro", url.Values{"immutable": {"1"}}))
	if err != nil {
		return nil // the next one to open it reports why
	}
	defer func() { _ = c.Close() }()
	marked := true
	err = c.Ask("SELECT substr(data, 19, 2) FROM sqlite_dbpage WHERE pgno = 1", func(r *engine.Row) {
		marked = !bytes.Equal(r.Blob(), []byte{1, 1})
	})
	if err == nil && !marked {
		return ErrOfAnother
	}
	return nil
}

func check(path string, open func() (log, error)) error {
	const attempts = 5
	var before loss
	for range attempts {
		f, err := open()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		now, err := lookAt(f, path)
		header := now.header
		_, gone := f.ReadAt(header[:], 0)
		_ = f.Close() // nothing was written
		switch {
		case err != nil || now == loss{}:
			return err
		case now == before && gone == nil && header == now.header:
			return ErrDamaged
		}
		before = now
	}
	return nil // two looks at one generation agree on damage: other processes began new ones, and use the file
}

// lookAt reads a WAL, of the file at path, once.
func lookAt(f log, path string) (found loss, err error) {
	r := bufio.NewReaderSize(f, 1<<20)
	if _, err := io.ReadFull(r, found.header[:]); err != nil {
		return loss{}, unlessShort(err)
	}
	header := found.header[:]
	order := binary.ByteOrder(binary.LittleEndian)
	if header[3]&1 != 0 {
		order = binary.BigEndian
	}
	size := int(binary.BigEndian.Uint32(header[8:]))
	whole := binary.BigEndian.Uint32(header)&^1 == 0x377f0682 &&
		checksum{}.over(header[:24], order) == checksumAt(header[24:])
	if !whole {
		size = pageSize
	}
	frames, err := framesIn(r, size, checksumAt(header[24:]), order)
	if err != nil {
		return loss{}, err
	}
	if whole {
		found.frame, found.behind, found.found = behind(frames, binary.BigEndian.Uint64(header[16:]), size)
	} else {
		found.frame, found.found, err = misses(path, f, frames)
	}
	if err != nil || !found.found {
		return loss{}, err
	}
	return found, nil
}

// unlessShort is nil if a file has ended.
func unlessShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// pageSize is that of every store.
const pageSize = 4096

func framesIn(r io.Reader, size int, before checksum, order binary.ByteOrder) (frames []walFrame, err error) {
	for frame := make([]byte, frameHeader+size); ; {
		if _, err := io.ReadFull(r, frame); err != nil {
			return frames, unlessShort(err)
		}
		stored := checksumAt(frame[16:])
		frames = append(frames, walFrame{
			page: binary.BigEndian.Uint32(frame), commit: binary.BigEndian.Uint32(frame[4:]) != 0,
			salt: binary.BigEndian.Uint64(frame[8:]),
			fits: before.over(frame[:8], order).over(frame[frameHeader:], order) == stored,
		})
		before = stored
	}
}

// behind returns the first frame that does not fit, and a commit with a successor behind it, if there is one.
func behind(frames []walFrame, salt uint64, size int) (end, commit int, found bool) {
	for end < len(frames) && frames[end].fits && frames[end].salt == salt {
		end++
	}
	for i := end + 1; i < len(frames); i++ {
		last, next := frames[i-1], frames[i]
		if last.commit && last.salt == salt && next.fits && next.salt == salt && (i-1 > end || !mixed(end, size)) {
			return end, i - 1, true
		}
	}
	return 0, 0, false
}

// mixed reports whether a frame that was never flushed may look like the end of a transaction: if a sector ends right
// behind the commit mark, that may be of an older frame.
func mixed(frame, size int) bool {
	const sector, said = 512, 8
	return (walHeader+frame*(frameHeader+size)+said)%sector == 0
}

// misses returns a frame of a WAL without a valid header whose transaction is missing in the file at path, if there is
// one. If the power failed while SQLite wrote a new header, the file has all frames behind the old one.
func misses(path string, f io.ReaderAt, frames []walFrame) (frame int, found bool, err error) {
	written, done := map[uint32]int{}, map[uint32]int{} // the last frame of each page
	for i, frame := range frames {
		if i > 0 && (!frame.fits || frame.salt != frames[i-1].salt) {
			if len(done) > 0 {
				break
			}
			clear(written)
		}
		if written[frame.page] = i; frame.commit && (i > 0 || frame.fits) {
			maps.Copy(done, written)
			clear(written)
		}
	}
	if len(done) == 0 {
		return 0, false, nil
	}
	// Not by a descriptor of our own: see engine.Opening.
	c, err := engine.Connect(path, engine.Mode("ro", url.Values{"immutable": {"1"}}))
	if err != nil {
		return 0, false, nil // the next one to open it reports why
	}
	defer func() { _ = c.Close() }()
	data := make([]byte, pageSize)
	for _, page := range slices.Sorted(maps.Keys(done)) {
		frame = done[page]
		if _, err := f.ReadAt(data, walHeader+int64(frame)*(frameHeader+pageSize)+frameHeader); err != nil {
			return 0, false, unlessShort(err)
		}
		same := false
		err := c.Ask(fmt.Sprintf("SELECT data FROM sqlite_dbpage WHERE pgno = %d", page), func(r *engine.Row) {
			same = bytes.Equal(r.Blob(), data)
		})
		if err != nil || !same {
			return frame, err == nil, err
		}
	}
	return 0, false, nil
}
