// Changes and clears members through the client of openapi-generator's go.
package main

import (
	"context"
	"fmt"
	"os"

	"resellerd/test/clients/client"
)

func main() {
	base, token, step, ids := os.Args[1], os.Args[2], os.Args[3], os.Args[4:]
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: base}}
	c := client.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, token)

	activation := client.NewActivation("line-"+ids[0], "s3cret-word", "BR")
	activation.SetCredits(0.5)
	edit := client.NewLineEdit("line-"+ids[1], "s3cret-word", "+2", "BR")
	line := client.NewLineDescription()
	account := client.NewResellerUpdate("account-"+ids[3], "s3cret-word", "BR", "+2")
	contact := client.NewContactChange()
	key := client.NewAccessKeyChange()
	webhook := client.NewWebhookChange()
	member := client.NewMemberChange()
	var alerts *client.AlertsChange
	if step == "change" {
		activation.SetWhatsapp("+2")
		line.SetEmail("b@example.com")
		contact.SetEmail("b@example.com")
		key.SetName("b")
		webhook.SetScope("tree")
		member.SetScopes([]string{"lines:write"})
		alerts = client.NewAlertsChange(*client.NewNullableString(new("2")))
	} else {
		activation.SetNotesNil()
		edit.SetNotesNil()
		line.SetTelegramNil()
		line.SetExternalIdNil()
		line.SetMetadata(map[string]string{})
		account.SetTelegramNil()
		contact.SetNotesNil()
		key.SetSpendLimitNil()
		key.SetExpiresAtNil()
		key.SetAllowedAddresses([]string{})
		webhook.SetDescriptionNil()
		member.SetSpendLimitNil()
		alerts = client.NewAlertsChange(*client.NewNullableString(nil))
	}
	_, _, err := c.LinesAPI.ActivateLine(ctx, ids[0]).Activation(*activation).Execute()
	must(err)
	_, _, err = c.LinesAPI.EditLine(ctx, ids[1]).LineEdit(*edit).Execute()
	must(err)
	_, _, err = c.LinesAPI.DescribeLine(ctx, ids[2]).LineDescription(*line).Execute()
	must(err)
	_, _, err = c.ResellersAPI.UpdateReseller(ctx, ids[3]).ResellerUpdate(*account).Execute()
	must(err)
	_, _, err = c.ResellersAPI.ChangeContact(ctx, ids[4]).ContactChange(*contact).Execute()
	must(err)
	_, _, err = c.KeysAPI.UpdateKey(ctx, ids[5]).AccessKeyChange(*key).Execute()
	must(err)
	_, _, err = c.WebhooksAPI.UpdateWebhook(ctx, ids[6]).WebhookChange(*webhook).Execute()
	must(err)
	_, _, err = c.StaffAPI.UpdateStaff(ctx, ids[7]).MemberChange(*member).Execute()
	must(err)
	_, _, err = c.ResellersAPI.SetAlerts(ctx, ids[8]).AlertsChange(*alerts).Execute()
	must(err)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
