"""Changes and clears members through the client of openapi-generator's python."""

import sys

import client

base, token, step, *ids = sys.argv[1:]
api = client.ApiClient(client.Configuration(host=base, access_token=token))


def either(changed, cleared):
    """Returns the members of this step; the others are left out."""
    return changed if step == "change" else cleared


lines, resellers = client.LinesApi(api), client.ResellersApi(api)
lines.activate_line(
    ids[0],
    client.Activation(
        username=f"line-{ids[0]}", password="s3cret-word", credits=0.5, country="BR", **either({"whatsapp": "+2"}, {"notes": None})
    ),
)
lines.edit_line(
    ids[1],
    client.LineEdit(username=f"line-{ids[1]}", password="s3cret-word", whatsapp="+2", country="BR", **either({}, {"notes": None})),
)
lines.describe_line(
    ids[2],
    line_description=client.LineDescription(
        **either({"email": "b@example.com"}, {"telegram": None, "external_id": None, "metadata": None})
    ),
)
resellers.update_reseller(
    ids[3],
    client.ResellerUpdate(
        username=f"account-{ids[3]}", password="s3cret-word", country="BR", whatsapp="+2", **either({}, {"telegram": None})
    ),
)
resellers.change_contact(ids[4], contact_change=client.ContactChange(**either({"email": "b@example.com"}, {"notes": None})))
client.KeysApi(api).update_key(
    ids[5],
    access_key_change=client.AccessKeyChange(
        **either({"name": "b"}, {"spend_limit": None, "expires_at": None, "allowed_addresses": None})
    ),
)
client.WebhooksApi(api).update_webhook(
    ids[6], webhook_change=client.WebhookChange(**either({"scope": "tree"}, {"description": None}))
)
client.StaffApi(api).update_staff(
    ids[7], member_change=client.MemberChange(**either({"scopes": ["lines:write"]}, {"spend_limit": None}))
)
resellers.set_alerts(ids[8], client.AlertsChange(balance_low=either("2", None)))
