"""Changes and clears members through the client of openapi-python-client."""

import sys

from resellerd_client import AuthenticatedClient
from resellerd_client.api.keys import update_key
from resellerd_client.api.lines import activate_line, describe_line, edit_line
from resellerd_client.api.resellers import change_contact, set_alerts, update_reseller
from resellerd_client.api.staff import update_staff
from resellerd_client.api.webhooks import update_webhook
from resellerd_client.models import (
    AccessKeyChange,
    Activation,
    AlertsChange,
    ContactChange,
    LineDescription,
    LineEdit,
    MemberChange,
    Problem,
    ResellerUpdate,
    WebhookChange,
    WebhookChangeScope,
)

base, token, step, *ids = sys.argv[1:]
client = AuthenticatedClient(base, token=token)


def either(changed, cleared):
    """Returns the members of this step; the others are left out."""
    return changed if step == "change" else cleared


for operation, id, body in [
    (
        activate_line,
        ids[0],
        Activation(
            username=f"line-{ids[0]}", password="s3cret-word", credits_=0.5, country="BR", **either({"whatsapp": "+2"}, {"notes": None})
        ),
    ),
    (
        edit_line,
        ids[1],
        LineEdit(username=f"line-{ids[1]}", password="s3cret-word", whatsapp="+2", country="BR", **either({}, {"notes": None})),
    ),
    (
        describe_line,
        ids[2],
        LineDescription(**either({"email": "b@example.com"}, {"telegram": None, "external_id": None, "metadata": None})),
    ),
    (
        update_reseller,
        ids[3],
        ResellerUpdate(
            username=f"account-{ids[3]}", password="s3cret-word", country="BR", whatsapp="+2", **either({}, {"telegram": None})
        ),
    ),
    (change_contact, ids[4], ContactChange(**either({"email": "b@example.com"}, {"notes": None}))),
    (
        update_key,
        ids[5],
        AccessKeyChange(**either({"name": "b"}, {"spend_limit": None, "expires_at": None, "allowed_addresses": None})),
    ),
    (update_webhook, ids[6], WebhookChange(**either({"scope": WebhookChangeScope.TREE}, {"description": None}))),
    (update_staff, ids[7], MemberChange(**either({"scopes": ["lines:write"]}, {"spend_limit": None}))),
    (set_alerts, ids[8], AlertsChange(balance_low=either("2", None))),
]:
    answer = operation.sync(id, client=client, body=body)
    if answer is None or isinstance(answer, Problem):
        sys.exit(f"{operation.__name__}: {answer}")
