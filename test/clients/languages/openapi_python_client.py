"""Calls the five operations by the client of openapi-python-client."""
import datetime
import json
import os

from network_inventory_api_client import AuthenticatedClient, models
from network_inventory_api_client.api.bindings import list_bindings
from network_inventory_api_client.api.credentials import get_all_credentials, update_credential
from network_inventory_api_client.api.daemons import retry_daemon_connection
from network_inventory_api_client.api.organizations import update_org_name

with open(os.environ["DEMO"], encoding="utf-8") as file:
    demo = json.load(file)


def client(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["SERVICE"], token=key)


owner = client(demo["keys"]["owner"])
listed = get_all_credentials.sync(client=owner, limit=100)
assert isinstance(listed, models.CredentialListResponse)
for credential in listed.data:
    body = models.CredentialInput.from_dict(credential.to_dict())
    updated = update_credential.sync(id=credential.id, client=owner, body=body)
    assert isinstance(updated, models.CredentialResponse)

id, name = demo["organization"]["id"], demo["organization"]["name"]
for rename in (name, models.OrganizationName(name=name)):
    renamed = update_org_name.sync(id=id, client=owner, body=rename)
    assert isinstance(renamed, models.OrganizationResponse)
retried = retry_daemon_connection.sync(id=demo["daemons"][0]["id"], client=owner)
assert isinstance(retried, models.EmptyResponse)
now = datetime.datetime.now(datetime.timezone.utc)
assert isinstance(list_bindings.sync(client=owner, at=now), models.BindingListResponse)

denied = update_org_name.sync(id=id, client=client(demo["keys"]["viewer"]), body="Acme")
assert isinstance(denied, models.AuthPermissionDeniedError)
