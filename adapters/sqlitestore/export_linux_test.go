package sqlitestore

// Flushing has the WALs of this process flushed by another function, until the one that is returned is called.
func Flushing(flush func(fd int) error) (restore func()) {
	before := fdatasync
	fdatasync = flush
	return func() { fdatasync = before }
}
