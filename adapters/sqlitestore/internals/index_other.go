//go:build !linux

package internals

import "net/url"

// Index reports no version, so every read uses SQLite.
type Index struct{ head *Version }

// Follow calls open.
func (*Index) Follow(_ string, open func(how url.Values) error) error { return open(nil) }

// Alone calls open.
func Alone(_ string, open func(how url.Values) error) error { return open(nil) }

// InPlace checks nothing.
func (*Index) InPlace() error { return nil }
