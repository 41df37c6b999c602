//go:build !plain

package internals

import "unsafe"

// C code knows functions and records by their addresses alone. What has one here is SQLite's own memory, or lives as long
// as the process.

func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) } //nolint:gosec // see above

func addressOf[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) } //nolint:gosec // see above

// function returns what a C pointer to a function stands for, and callback such a pointer to what is no closure.
func function[F any](pointer uintptr) F { return *(*F)(unsafe.Pointer(&pointer)) } //nolint:gosec // see above

func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) } //nolint:gosec // see above

func bytesAt(address uintptr, length int32) []byte { return unsafe.Slice(at[byte](address), length) } //nolint:gosec // SQLite says how long its buffer is
