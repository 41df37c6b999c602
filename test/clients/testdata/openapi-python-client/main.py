"""The life of a line through the client of openapi-python-client, and what it reads of large numbers."""

import sys

from resellerd_client import AuthenticatedClient, Client
from resellerd_client.api.ledger import get_statement
from resellerd_client.api.lines import activate_line, create_trial, delete_line, extend_line, get_line
from resellerd_client.api.resellers import add_credits, create_reseller
from resellerd_client.api.tokens import issue_token
from resellerd_client.models import Activation, Extension, Login, Problem, Recharge, ResellerCreation, TrialCreation

base, exact, name, password = sys.argv[1:]


def login(username, password):
    token = issue_token.sync(client=Client(base), body=Login(username=username, password=password))
    return AuthenticatedClient(base, token=token.token), token


admin, token = login("admin", password)
print("login", token.status)

reseller = create_reseller.sync(
    client=admin,
    body=ResellerCreation(username=name, password="s3cret-word", is_master=0, credits_="2", country="BR"),
)
print("reseller", reseller.credits_)

top_up = add_credits.sync(str(reseller.id), client=admin, body=Recharge(credits_=1.5))
print("top-up", top_up.credits_)

own, _ = login(name, "s3cret-word")
trial = create_trial.sync(client=own, body=TrialCreation())
line = str(trial.id)
print("trial", trial.is_trial, str(trial.id_platform is None).lower())

official = activate_line.sync(
    line, client=own, body=Activation(username=trial.username, password=trial.password, credits_=1, country="BR")
)
print("activated", official.is_trial)

key = name + "-extension"
first = extend_line.sync_detailed(line, client=own, body=Extension(credits_=2), idempotency_key=key)
again = extend_line.sync_detailed(line, client=own, body=Extension(credits_=2), idempotency_key=key)
print(
    "extended",
    first.headers.get("Idempotency-Replayed", "false"),
    again.headers.get("Idempotency-Replayed", "false"),
    str(first.parsed.exp_date == again.parsed.exp_date).lower(),
)

unpaid = extend_line.sync(line, client=own, body=Extension(credits_=2))
assert isinstance(unpaid, Problem)
print("refused", unpaid.status, unpaid.code, unpaid.shortfall)

statement = get_statement.sync(str(reseller.id), client=own)
print("statement", *[f"{entry.kind}={entry.amount}" for entry in statement.data])

print("deleted", delete_line.sync(line, client=own).status)
gone = get_line.sync(line, client=own)
assert isinstance(gone, Problem)
print("refused", gone.status, gone.code)

newer = AuthenticatedClient(exact, token="x")
later = add_credits.sync("7", client=newer, body=Recharge(credits_=1))
assert isinstance(later, Problem)
print("later", later.status, later.code, later.required_scope)

large = add_credits.sync("1099511627776", client=newer, body=Recharge(credits_=999999999.9999))
print("exact", large.id, repr(large.credits_))
