// Package regularfile implements the reading of files that an operator names, such as secrets, certificates and logos.
// It refuses a file that would block or fill the memory before it reads anything. If the system refuses a file, the
// error names the owner.
package regularfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The most bytes of a file with a secret, and of a file with certificates or a key (PEM).
const (
	Secret = 4 << 10
	PEM    = 1 << 20
)

// Read returns the content of a file that Open accepts.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return ReadAll(f, most)
}

// ReadAll returns the content of a file that Open has opened.
func ReadAll(f *os.File, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most { // it has grown, or its size is unknown, as in /proc
		err = tooLarge(f.Name(), most)
	}
	return content, err
}

// Open opens a regular file of at most so many bytes, or a symbolic link to one. It refuses a named pipe, which would
// wait for a writer, and a device, which may have no end.
func Open(path string, most int64) (*os.File, error) {
	found, err := os.Stat(path) // opening a device can have an effect
	if err == nil {
		err = check(path, found, most)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // another file may have this name now
	if err != nil {
		return nil, err
	}
	if found, err = f.Stat(); err == nil {
		err = check(path, found, most)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func check(path string, found fs.FileInfo, most int64) error {
	var kind string
	switch mode := found.Mode(); {
	case mode.IsRegular() && found.Size() > most:
		return tooLarge(path, most)
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	default:
		kind = "a special file"
	}
	return fmt.Errorf("%s is %s and not a regular file: write the content to a regular file, and name that", path, kind)
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%s has more than %d bytes, which is the most for this file: is it another file?", path, most)
}
