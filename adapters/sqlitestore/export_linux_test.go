package sqlitestore

import (
	"time"

	"resellerd/domain/line"
)

// Flushing has the WALs of this process flushed by another function, until the one that is returned is called.
func Flushing(flush func(fd int) error) (restore func()) {
	before := fdatasync
	fdatasync = flush
	return func() { fdatasync = before }
}

// WaitingForIndex has processes wait so long for another one that makes an index, until the function that is returned is
// called.
func WaitingForIndex(limit time.Duration) (restore func()) {
	before := indexTimeout
	indexTimeout = limit
	return func() { indexTimeout = before }
}

// InCacheAfter reports whether the cache has for the present version what it had before a
// commit, which has written for sure or has not, in whose time so many versions have passed.
func InCacheAfter(written bool, versions uint32) bool {
	c := newCache()
	c.file.head = &version{1}
	before := c.file.version()
	c.keep(before, func(c *cache) { c.lines.put(7, new(line.State)) })
	c.commits()
	c.file.head[2] += versions
	c.committed(before, &changes{written: written})
	return c.line(c.file.version(), 7) != nil
}
