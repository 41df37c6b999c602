package webhook_test

import (
	"slices"
	"testing"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
)

func TestSelectedTypes(t *testing.T) {
	lines := []journal.Type{
		journal.TrialCreated, journal.LineActivated, journal.LineExtended, journal.PlanChanged, journal.LineUpdated,
		journal.LineDeleted, journal.LineSuspended,
		journal.LineResumed, journal.LineImported, journal.LineReimported, journal.LineExpiring, journal.LineExpired,
	}
	for _, c := range []struct {
		types   []string
		want    []journal.Type // nil: every type
		nothing bool
	}{
		{[]string{"*"}, nil, false},
		{[]string{"line.activated", "*"}, nil, false},
		{[]string{"a.type_to_come", "*"}, nil, false},
		{[]string{"line.activated"}, []journal.Type{journal.LineActivated}, false},
		{[]string{"line.*"}, lines, false},
		{[]string{"line.updated", "line.*", "line.updated"},
			append([]journal.Type{journal.LineUpdated}, slices.DeleteFunc(slices.Clone(lines), func(t journal.Type) bool {
				return t == journal.LineUpdated
			})...), false},
		{[]string{"balance.*", "a.type_to_come"}, []journal.Type{journal.BalanceLow, journal.BalanceRecovered}, false},
		{[]string{"a.type_to_come"}, nil, true}, // of a newer version of this program
	} {
		w := webhook.Webhook{Types: c.types}
		if got := w.Selects(); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q selects %v, want %v", c.types, got, c.want)
		}
		expect.Equal(t, w.SelectsNothing(), c.nothing, "%q selects nothing", c.types)
	}
}

func TestCheckType(t *testing.T) {
	for text, want := range map[string]bool{
		"*": true, "line.*": true, "line.activated": true, "balance.low": true,
		"": false, "**": false, "line": false, "line.": false, "lin*": false, "webhook.test": false, "Line.activated": false,
	} {
		expect.Equal(t, webhook.CheckType(text) == nil, want, "%q is accepted", text)
	}
}

func TestAChangeLeavesTheRestAlone(t *testing.T) {
	was := webhook.Webhook{
		ID: 3, Account: 7, Slot: 2, URL: "https://a.example/", Types: []string{"line.*"}, Scope: webhook.OwnAccount,
		Description: "one", Enabled: true,
		Created: noon, Secret: []byte("sealed"), Previous: []byte("before"), PreviousUntil: noon.Add(time.Hour),
	}
	off := was.Disable(webhook.Gone)
	with := func(of webhook.Webhook, change func(w *webhook.Webhook)) webhook.Webhook {
		change(&of)
		return of
	}
	for situation, c := range map[string]struct {
		of     webhook.Webhook
		change webhook.Change
		want   webhook.Webhook
	}{
		"nothing": {was, webhook.Change{}, was},
		"address": {was, webhook.Change{URL: new("https://b.example/")}, with(was, func(w *webhook.Webhook) {
			w.URL = "https://b.example/"
		})},
		"types": {was, webhook.Change{Types: []string{"*"}}, with(was, func(w *webhook.Webhook) {
			w.Types = []string{"*"}
		})},
		"scope": {was, webhook.Change{Scope: new(webhook.Tree)}, with(was, func(w *webhook.Webhook) {
			w.Scope = webhook.Tree
		})},
		"description": {was, webhook.Change{Description: new("")}, with(was, func(w *webhook.Webhook) {
			w.Description = ""
		})},
		"disabled": {was, webhook.Change{Enabled: new(false)}, with(was, func(w *webhook.Webhook) {
			w.Enabled, w.Disabled = false, webhook.Requested
		})},
		"enabled":       {off, webhook.Change{Enabled: new(true)}, was},
		"enabled twice": {was, webhook.Change{Enabled: new(true)}, was},
		"disabled, which it is for another reason": {off, webhook.Change{Enabled: new(false)}, off},
	} {
		before := c.of
		expect.DeepEqual(t, c.of.Changed(c.change), c.want, "%s", situation)
		expect.DeepEqual(t, before, c.of, "%s: what it was became", situation)
	}
}

func TestPreviousSecretSignsDuringTheOverlap(t *testing.T) {
	w := webhook.Webhook{Secret: []byte("first")}
	expect.Equal(t, w.Overlaps(noon), false, "a new webhook has a secret from before")
	w = w.Rotate([]byte("second"), []byte("first again"), time.Hour, noon)
	expect.Equal(t, string(w.Secret), "second", "it signs with")
	expect.Equal(t, string(w.Previous), "first again", "it signs as well with")
	for after, want := range map[time.Duration]bool{0: true, time.Hour - time.Millisecond: true, time.Hour: false,
		1000 * time.Hour: false} {
		expect.Equal(t, w.Overlaps(noon.Add(after)), want, "%v after the rotation the one before signs", after)
	}
	again := w.Rotate([]byte("third"), []byte("second again"), 2*time.Hour, noon.Add(time.Minute))
	if string(again.Previous) != "second again" || !again.PreviousUntil.Equal(noon.Add(2*time.Hour+time.Minute)) {
		t.Errorf("after another rotation %q signs as well, until %s", again.Previous, again.PreviousUntil)
	}
	at := w.Rotate([]byte("third"), []byte("second again"), 0, noon)
	if at.Overlaps(noon) || at.Previous != nil || !at.PreviousUntil.IsZero() {
		t.Errorf("after a rotation without an overlap: %+v", at)
	}
}
