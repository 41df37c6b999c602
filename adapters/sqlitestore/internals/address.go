//go:build !plain

package internals

import "unsafe"

// C code knows functions and records by address only. Addresses here are of SQLite's own memory, or of what lives as
// long as the process.

func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) } //nolint:gosec // see above

func addressOf[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) } //nolint:gosec // see above

// function converts a C pointer to a function, and callback converts a function that is no closure to one.
func function[F any](pointer uintptr) F { return *(*F)(unsafe.Pointer(&pointer)) } //nolint:gosec // see above

func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) } //nolint:gosec // see above

func bytesAt(address uintptr, length int32) []byte { return unsafe.Slice(at[byte](address), length) } //nolint:gosec // SQLite says how long its buffer is
