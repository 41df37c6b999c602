//go:build plain

package internals

// Defending does nothing.
func Defending() error { return nil }
