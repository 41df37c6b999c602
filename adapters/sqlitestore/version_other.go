//go:build !linux

package sqlitestore

// file tells no version: see version_linux.go.
type file struct{}

func (*file) follow(path string) (*reader, error) { return openReader(path, nil) }

func (*file) version() (v version) { return v }
