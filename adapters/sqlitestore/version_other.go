//go:build !linux

package sqlitestore

// file tells no version: see version_linux.go.
type file struct{ head *version }

func openAlone(path string) (*connection, error) { return connect(path, mode("rw")) }

func (*file) follow(path string) (*reader, error) { return openReader(path, nil) }

func (*file) forget() {}

func (*file) inPlace() error { return nil }

func (*file) version() (v version) { return v }

// free says how much room a folder has.
func free(string) string { return "" }
