"""What the client of openapi-generator's python reads of large numbers, and of a refusal."""

import sys

import client

base, exact = sys.argv[1:3]

try:
    tokens = client.TokensApi(client.ApiClient(client.Configuration(host=base)))
    tokens.issue_token(client.Login(username="admin", password="wrong"))
except client.ApiException as refused:
    print("refused", refused.data.status, refused.data.code)

resellers = client.ResellersApi(client.ApiClient(client.Configuration(host=exact)))
try:
    resellers.add_credits("7", client.Recharge(credits=1))
except client.ApiException as refused:
    print("later", refused.data.status, refused.data.code, refused.data.required_scope)

large = resellers.add_credits("1099511627776", client.Recharge(credits=999999999.9999))
print("exact", large.id, repr(large.credits))
