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

	"resellerd/adapters/sqlitestore/engine"
)

// ErrDamaged refuses a file whose WAL can't be read completely any more.
var ErrDamaged = errors.New("the log beside the file (-wal) is damaged, and commits that were acknowledged are behind the damage: " +
	"keep a copy of the file and of its -wal, and restore a backup; sqlite3 opens the copy as it was before the damage")

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

// Check returns ErrDamaged if the WAL of the file at path has lost commits. Another process may be writing to it: then
// it is read again.
func Check(path string) error {
	const attempts = 5
	path, err := filepath.EvalSymlinks(path) // what is beside it is beside the file itself
	if err != nil {
		return err
	}
	for range attempts {
		f, err := os.Open(path + "-wal")
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		damaged, header, err := lookAt(f, path)
		now := make([]byte, walHeader)
		_, gone := f.ReadAt(now, 0)
		_ = f.Close() // nothing was written
		switch {
		case err != nil || !damaged:
			return err
		case gone == nil && bytes.Equal(now, header):
			return ErrDamaged
		}
	}
	return nil // it is in use, and its user would have noticed damage
}

// lookAt reads a WAL, of the file at path, once.
func lookAt(f *os.File, path string) (damaged bool, header []byte, err error) {
	r := bufio.NewReaderSize(f, 1<<20)
	header = make([]byte, walHeader)
	if _, err := io.ReadFull(r, header); err != nil {
		return false, header, unlessShort(err)
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if header[3]&1 != 0 {
		order = binary.BigEndian
	}
	size := int(binary.BigEndian.Uint32(header[8:]))
	whole := binary.BigEndian.Uint32(header)&^1 == 0x377f0682 && checksum{}.over(header[:24], order) == checksumAt(header[24:])
	if !whole {
		size = pageSize
	}
	frames, err := framesIn(r, size, checksumAt(header[24:]), order)
	if err != nil {
		return false, header, err
	}
	if !whole {
		damaged, err = misses(path, f, frames)
		return damaged, header, err
	}
	return behind(frames, binary.BigEndian.Uint64(header[16:]), size), header, nil
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
			page: binary.BigEndian.Uint32(frame), commit: binary.BigEndian.Uint32(frame[4:]) != 0, salt: binary.BigEndian.Uint64(frame[8:]),
			fits: before.over(frame[:8], order).over(frame[frameHeader:], order) == stored,
		})
		before = stored
	}
}

// behind reports whether there is a commit with a successor behind the first frame that does not fit.
func behind(frames []walFrame, salt uint64, size int) bool {
	end := 0
	for end < len(frames) && frames[end].fits && frames[end].salt == salt {
		end++
	}
	for i := end + 1; i < len(frames); i++ {
		last, next := frames[i-1], frames[i]
		if last.commit && last.salt == salt && next.fits && next.salt == salt && (i-1 > end || !mixed(end, size)) {
			return true
		}
	}
	return false
}

// mixed reports whether a frame that was never flushed may look like the end of a transaction: if a sector ends right
// behind the commit mark, that may be of an older frame.
func mixed(frame, size int) bool {
	const sector, said = 512, 8
	return (walHeader+frame*(frameHeader+size)+said)%sector == 0
}

// misses reports whether a transaction of a WAL without a valid header is missing in the file at path. If the power
// failed while SQLite wrote a new header, the file has all frames behind the old one.
func misses(path string, f io.ReaderAt, frames []walFrame) (bool, error) {
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
		return false, nil
	}
	// Not by a descriptor of our own: see engine.Opening.
	c, err := engine.Connect(path, engine.Mode("ro", url.Values{"immutable": {"1"}}))
	if err != nil {
		return false, nil // the next one to open it reports why
	}
	defer func() { _ = c.Close() }()
	data := make([]byte, pageSize)
	for page, frame := range done {
		if _, err := f.ReadAt(data, walHeader+int64(frame)*(frameHeader+pageSize)+frameHeader); err != nil {
			return false, err
		}
		same := false
		err := c.Ask(fmt.Sprintf("SELECT data FROM sqlite_dbpage WHERE pgno = %d", page), func(r *engine.Row) { same = bytes.Equal(r.Blob(), data) })
		if err != nil || !same {
			return err == nil, err
		}
	}
	return false, nil
}
