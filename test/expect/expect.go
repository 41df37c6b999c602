// Package expect compares the values that a test got with those that it wants. A difference fails the test, which
// continues.
package expect

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Test is the part of *testing.T and *rapid.T that fails a test.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal compares two values. of, a format with its arguments, names them.
func Equal[V comparable](t Test, got, want V, of ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %+v, want %+v", about(of), got, want)
	}
}

// Elements compares two slices, of which nil is the one without elements.
func Elements[V comparable](t Test, got, want []V, of ...any) {
	t.Helper()
	if len(got)+len(want) > 0 {
		DeepEqual(t, got, want, of...)
	}
}

// DeepEqual compares as reflect.DeepEqual does.
func DeepEqual[V any](t Test, got, want V, of ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%sgot %+v, want %+v", about(of), got, want)
	}
}

// Error compares an error as errors.Is does.
func Error(t Test, got, want error, of ...any) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%sgot error %v, want %v", about(of), got, want)
	}
}

// Contains expects a part in a text.
func Contains(t Test, text, part string, of ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%sgot %q, want %q in it", about(of), text, part)
	}
}

// Lacks expects that a part is not in a text.
func Lacks(t Test, text, part string, of ...any) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%sgot %q, want no %q in it", about(of), text, part)
	}
}

func about(of []any) string {
	if len(of) == 0 {
		return ""
	}
	return fmt.Sprintf(of[0].(string), of[1:]...) + ": "
}
