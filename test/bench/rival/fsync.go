package rival

import (
	"errors"
	"os"
)

// Disk appends 4 KiB to a file and waits until they are on the disk.
type Disk struct {
	file *os.File
	page [4 << 10]byte
}

// OpenDisk makes a new file.
func OpenDisk(path string) (*Disk, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	return &Disk{file: f}, err
}

// Append makes one more page durable.
func (d *Disk) Append() error {
	if _, err := d.file.Write(d.page[:]); err != nil {
		return err
	}
	return d.file.Sync()
}

// Close closes the file and removes it.
func (d *Disk) Close() error { return errors.Join(d.file.Close(), os.Remove(d.file.Name())) }
