// Package walcheck implements a check of SQLite's write-ahead log (WAL). It finds damage that SQLite would treat as the
// end of the WAL, which would lose commits.
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

// ErrDamaged refuses a file whose WAL can't be read completely.
var ErrDamaged = errors.New(
	"the log beside the file (-wal) is damaged, and commits that were acknowledged are behind the damage: " +
		"keep a copy of the file and of its -wal, and restore a backup; sqlite3 opens the copy as it was before the damage")

// ErrOfAnother refuses a file beside which another file has left its WAL.
var ErrOfAnother = errors.New(
	"the log beside the file (-wal) is not its own: it belongs to an earlier file at this path, whose process was killed. " +
		"To use this file as it is, move the -wal and the -shm to another folder; they have the latest records of the earlier file")

// SQLite treats the first frame of a WAL that does not match as the end, because a crash leaves such a frame: written,
// not flushed and never acknowledged. If the disk has damaged flushed frames, all commits from there on would be lost
// silently. The frames after it distinguish the two cases. Each has a checksum that continues that of the frame before,
// and a transaction is written only after the previous one is flushed. A commit that has a successor was therefore on
// the disk, with everything before it.
//
// Damage to the last transaction of a WAL looks like a transaction that was never flushed. Damage to the frame that
// ends the previous one does, too: the two transactions then look like one.

const (
	walHeader   = 32
	frameHeader = 24
)

// walFrame is a frame of the file.
type walFrame struct {
	page   uint32
	commit bool   // the last frame of a transaction
	fits   bool   // its checksum continues that of the frame before
	salt   uint64 // of its generation: the WAL is reused from its start
}

// checksum is the checksum of a WAL, which continues from frame to frame.
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

// A look reads the WAL from its start to its end while other processes may write to it. It can find the old state of a
// frame, and the new state of the frames after it. It can find the header of one generation, and frames of the next
// one. Neither is damage. A second look does not find the same again, for two reasons. Processes write the WAL in
// ascending order, so the frames that the first look found later were written after the frame. And a frame with a
// flushed commit after it is not written again before the WAL is reused from its start, which changes the header.

// loss is the position at which a look found lost commits. The zero value means no loss.
type loss struct {
	header [walHeader]byte // of its generation
	frame  int             // the first that does not match
	behind int             // the flushed commit after it
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
	path, err := filepath.EvalSymlinks(path) // files beside it are beside the target of the link
	if err != nil {
		return err
	}
	if err := Owns(path); err != nil {
		return err
	}
	return check(path, func() (log, error) { return os.Open(path + "-wal") })
}

// Owns returns ErrOfAnother for a WAL with content beside a file at path that is missing, empty or never had a WAL.
// SQLite would read that WAL as a part of the file, or remove it. Two bytes mark a file for its WAL before it gets one;
// a backup has no such mark.
func Owns(path string) error {
	wal, err := os.Stat(path + "-wal")
	if err != nil || wal.Size() <= walHeader {
		return nil // Check reports why it can't be read
	}
	file, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && file.Size() == 0 {
		return ErrOfAnother
	}
	c, err := engine.Connect(path, engine.Mode("ro", url.Values{"immutable": {"1"}}))
	if err != nil {
		return nil // the next process that opens it reports the reason
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

// unlessShort returns nil for the error of a file that has ended.
func unlessShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// pageSize is the page size of every store.
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

// behind returns the first frame that does not match, and a commit with a successor after it, if there is one.
func behind(frames []walFrame, salt uint64, size int) (end, commit int, found bool) {
	for end < len(frames) && frames[end].fits && frames[end].salt == salt {
		end++
	}
	for i := end + 1; i < len(frames); i++ {
		last, next := frames[i-1], frames[i]
		if last.commit && last.salt == salt && next.fits && next.salt == salt && (last.fits || !mixed(i-1, size)) {
			return end, i - 1, true
		}
	}
	return 0, 0, false
}

// mixed reports whether a frame that was never flushed may look like the end of a transaction: if a sector ends right
// after the commit mark, the mark may belong to an older frame. The checksum of such a frame does not match.
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
	// A descriptor of our own must not be used: see engine.Opening.
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
