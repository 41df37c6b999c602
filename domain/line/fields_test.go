package line_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// TestEachTextOfARecordCounts fills every text that a state has: who bounds memory, and what is kept for nothing,
// counts them by Texts. A field that is added and not counted there fails here.
func TestEachTextOfARecordCounts(t *testing.T) {
	for _, filled := range []any{new(line.State), new(reseller.State)} {
		n := fill(t, reflect.ValueOf(filled).Elem())
		var all string
		switch s := filled.(type) {
		case *line.State:
			texts := s.Texts()
			all = strings.Join(texts[:], "")
		case *reseller.State:
			texts := s.Texts()
			all = strings.Join(texts[:], "")
		}
		expect.Equal(t, len(all), n, "%T keeps %d bytes of texts, and tells of", filled, n)
	}
}

// fill gives each text another length than a shorter sum of others has, and returns how long they are together.
func fill(t *testing.T, of reflect.Value) (n int) {
	t.Helper()
	switch at := of.Addr().Interface().(type) {
	case *profile.Text:
		*at = profile.RestoreText("text")
		return 4
	case *profile.Username:
		*at = profile.RestoreUsername("Name", "key")
		return 7
	case *line.Sealed:
		*at = line.Sealed("sealed")
		return 6
	case *line.Metadata:
		var err error
		*at, err = line.ParseMetadata(map[string]string{"name": "value"})
		require.NoError(t, err)
		return len("name.value.")
	case *string:
		*at = "plain"
		return 5
	case *time.Time, *reseller.Generation, *reseller.Role, *[]reseller.TrialSlot, *[]int64:
		return 0
	}
	switch of.Kind() { //nolint:exhaustive // what is no text takes no more than its place in the state
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Type().Field(i).IsExported() {
				n += fill(t, of.Field(i))
			}
		}
	case reflect.Slice, reflect.Map, reflect.Pointer:
		t.Fatalf("what does a %s take?", of.Type())
	}
	return n
}
