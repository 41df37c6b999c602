package resellers_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"resellerd/application"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/message"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// Three accounts below each other have texts, and the nearest applies.
func TestMessagesAreOwnOrFromAbove(t *testing.T) {
	h := kit.New(t, application.Policy{})
	north, byNorth := h.Create(h.Admin, "north", "0", true)
	shop, byShop := h.Create(byNorth, "shop", "0", false)
	_, other := h.Create(h.Admin, "other", "0", true)
	set := func(by application.Caller, id int64, texts message.Texts) (m resellers.Messages) {
		t.Helper()
		require.NoError(t, kit.ErrorOf(h.Resellers.SetMessages(t.Context(), kit.Call(by), resellers.SetMessages{ID: id,
			Texts: texts},
			kit.Into(&m))))
		return m
	}
	read := func(by application.Caller, id int64) resellers.Messages {
		t.Helper()
		m, err := h.Resellers.Messages(t.Context(), kit.Call(by), id)
		require.NoError(t, err)
		return m
	}
	ofAdmin := message.Texts{Server: "top", Apps: "top", Whatsapp: "+1", Telegram: "@top"}
	set(h.Admin, 1, ofAdmin)
	ofNorth := message.Texts{Server: "north", Access: "{username}", Telegram: "@north"}
	expect.Equal(t, set(byNorth, north.ID(), ofNorth), resellers.Messages{Own: ofNorth, Inherited: ofAdmin},
		"north has")
	want := resellers.Messages{
		Inherited: message.Texts{Server: "north", Apps: "top", Access: "{username}", Telegram: "@north"}}
	for name, by := range map[string]application.Caller{"itself": byShop, "the account above": byNorth,
		"an admin": h.Admin} {
		expect.Equal(t, read(by, shop.ID()), want, "by %s", name)
	}
	expect.Error(t, kit.ErrorOf(h.Resellers.Messages(t.Context(), kit.Call(byShop), north.ID())), fault.ErrNotFound)
	_, err := h.Resellers.SetMessages(t.Context(), kit.Call(other), resellers.SetMessages{ID: shop.ID()}, kit.Shown)
	expect.Error(t, err, fault.ErrNotFound)

	own := message.Texts{Reminder: "soon"}
	entries := h.Appended(func() { set(byNorth, shop.ID(), own) })
	told := journal.Entry{
		Type: journal.ResellerUpdated, At: h.Now, Account: shop.Position(), Request: "request-1",
		Actor:   journal.Actor{Account: north.ID(), Kind: journal.ByToken, Name: "north"},
		Changes: journal.HiddenChanges("messages"), Data: []journal.Datum{{Name: "username", Value: journal.Text("shop")}},
	}
	if len(entries) != 1 || !reflect.DeepEqual(entries[0].Entry, told) {
		t.Errorf("the journal has %+v, want %+v", entries, told)
	}
	again := h.Appended(func() { set(byShop, shop.ID(), own) })
	expect.Equal(t, len(again), 0, "the same once more has %+v", again)
	expect.Equal(t, set(byShop, shop.ID(), message.Texts{}), want, "without texts of its own it has")
	again = h.Appended(func() { set(byShop, shop.ID(), message.Texts{}) })
	expect.Equal(t, len(again), 0, "none once more has %+v", again)
	expect.Equal(t, len(h.Recorded().Messages), 2, "stored records")

	require.NoError(t, h.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		r, err := ports.Messages.Stored(message.AccountTexts{Account: north.ID(), Texts: ofNorth})
		r.Payload = strings.Replace(r.Payload, "{", `{"fields":99,`, 1)
		return errors.Join(err, tx.Records.Save(ctx, ports.Messages.Kind, r))
	}))
	for _, id := range []int64{north.ID(), shop.ID()} {
		expect.Error(t, kit.ErrorOf(h.Resellers.Messages(t.Context(), kit.Call(byNorth), id)), record.ErrDamaged)
	}
}
