//go:build !linux

package sqlitestore

import "net/url"

// gathering returns no parameter: see wal_linux.go.
func gathering() (url.Values, error) { return nil, nil }
