package journal_test

import (
	"regexp"
	"slices"
	"testing"

	"resellerd/domain/journal"
)

func FuzzParseType(f *testing.F) {
	for _, of := range journal.Types() {
		f.Add(of.String())
	}
	f.Add("")
	f.Add("line.")
	f.Add("LINE.ACTIVATED")
	f.Fuzz(func(t *testing.T, text string) {
		of, err := journal.ParseType(text)
		is := slices.ContainsFunc(journal.Types(), func(of journal.Type) bool { return of.String() == text })
		if is != (err == nil) || is && of.String() != text || !is && of != (journal.Type{}) {
			t.Fatalf("%q is the type %q, %v", text, of, err)
		}
	})
}

var epoch = regexp.MustCompile(`^[0-9a-f]{8}\z`)

func FuzzParseEpoch(f *testing.F) {
	for _, text := range []string{"00c0ffee", "", "00C0FFEE", "0", "00c0ffee0", "00c0ffe\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, ok := journal.ParseEpoch(text)
		if ok != epoch.MatchString(text) || ok && string(parsed) != text || !ok && parsed != "" {
			t.Fatalf("%q is the epoch %q, %t", text, parsed, ok)
		}
	})
}

func TestKindsOfActorsAreFoundByTheirNames(t *testing.T) {
	for _, kind := range []journal.ActorKind{journal.ByToken, journal.BySession, journal.BySystem, journal.ByOperator} {
		if got, err := journal.ParseActorKind(kind.String()); err != nil || got != kind {
			t.Errorf("%s is %s, %v", kind, got, err)
		}
	}
	if got, err := journal.ParseActorKind("staff?"); err == nil {
		t.Errorf("got %s", got)
	}
}
