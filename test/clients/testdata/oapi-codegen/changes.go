// Changes and clears members through the client of oapi-codegen with nullable-type.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/oapi-codegen/nullable"

	"resellerd/test/clients/client"
)

var ctx = context.Background()

func main() {
	base, token, step, ids := os.Args[1], os.Args[2], os.Args[3], os.Args[4:]
	c, err := client.NewClient(base, client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		panic(err)
	}
	activation := client.Activation{Username: "line-" + ids[0], Password: "s3cret-word", Credits: new(0.5), Country: "BR"}
	edit := client.LineEdit{Username: "line-" + ids[1], Password: "s3cret-word", Whatsapp: "+2", Country: "BR"}
	var line client.LineDescription
	account := client.ResellerUpdate{Username: "account-" + ids[3], Password: "s3cret-word", Whatsapp: "+2", Country: "BR"}
	var contact client.ContactChange
	var key client.AccessKeyChange
	var webhook client.WebhookChange
	var member client.MemberChange
	var alerts client.AlertsChange
	if step == "change" {
		activation.Whatsapp = nullable.NewNullableWithValue("+2")
		line.Email = nullable.NewNullableWithValue("b@example.com")
		contact.Email = nullable.NewNullableWithValue("b@example.com")
		key.Name = new("b")
		webhook.Scope = new(client.WebhookChangeScopeTree)
		member.Scopes = &[]client.Scope{"lines:write"}
		alerts.BalanceLow = nullable.NewNullableWithValue("2")
	} else {
		activation.Notes.SetNull()
		edit.Notes.SetNull()
		line.Telegram.SetNull()
		line.ExternalId.SetNull()
		line.Metadata.SetNull()
		account.Telegram.SetNull()
		contact.Notes.SetNull()
		key.SpendLimit.SetNull()
		key.ExpiresAt.SetNull()
		key.AllowedAddresses.SetNull()
		webhook.Description.SetNull()
		member.SpendLimit.SetNull()
		alerts.BalanceLow.SetNull()
	}
	must(c.ActivateLine(ctx, ids[0], nil, activation))
	must(c.EditLine(ctx, ids[1], nil, edit))
	must(c.DescribeLine(ctx, ids[2], nil, line))
	must(c.UpdateReseller(ctx, ids[3], nil, account))
	must(c.ChangeContact(ctx, ids[4], nil, contact))
	must(c.UpdateKey(ctx, ids[5], nil, key))
	must(c.UpdateWebhook(ctx, ids[6], nil, webhook))
	must(c.UpdateStaff(ctx, ids[7], nil, member))
	must(c.SetAlerts(ctx, ids[8], nil, alerts))
}

func must(answer *http.Response, err error) {
	if err != nil || answer.StatusCode > 299 {
		fmt.Fprintln(os.Stderr, answer, err)
		os.Exit(1)
	}
}
