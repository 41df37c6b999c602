package sqlitestore_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// must ends the test where something that it builds on fails.
func must(t *testing.T, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("got error %v; %s", err, fmt.Sprint(about...))
	}
}

func wantNone(t *testing.T, err error, about ...any) {
	t.Helper()
	wantError(t, err, nil, about...)
}

func wantError(t *testing.T, err, want error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v; %s", err, want, fmt.Sprint(about...))
	}
}

func wantMention(t *testing.T, err error, text string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want one that mentions %q; %s", err, text, fmt.Sprint(about...))
	}
}

func wantEqual[V any](t *testing.T, got, want V, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v; %s", got, want, fmt.Sprint(about...))
	}
}
