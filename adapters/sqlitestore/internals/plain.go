//go:build !linux || plain

package internals

import "net/url"

// Gathering returns no parameter: SQLite's own VFS writes the WAL.
func Gathering() (url.Values, error) { return nil, nil }

// Index tells no version: everything is read.
type Index struct{ head *Version }

// Follow has open open a connection.
func (*Index) Follow(_ string, open func(how url.Values) error) error { return open(nil) }

// Alone has open open a connection.
func Alone(_ string, open func(how url.Values) error) error { return open(nil) }

// InPlace knows of nothing.
func (*Index) InPlace() error { return nil }

// Version is not known.
func (*Index) Version() (v Version) { return v }
