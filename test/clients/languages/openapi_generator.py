"""Calls every operation by the Python client of openapi-generator, which parses what it gets."""
import datetime
import json
import os

import openapi_client as api

with open(os.environ["DEMO"], encoding="utf-8") as file:
    demo = json.load(file)


def client(key: str) -> api.ApiClient:
    return api.ApiClient(api.Configuration(host=os.environ["SERVICE"], access_token=key))


owner = client(demo["keys"]["owner"])
service = api.ServiceApi(owner)
assert service.get_health().success and service.get_readiness().success and service.get_version().success

credentials = api.CredentialsApi(owner)
for credential in credentials.get_all_credentials(limit=100).data:
    update = api.CredentialInput.from_dict(credential.to_dict())
    assert credentials.update_credential(credential.id, update).data.name == credential.name

organizations = api.OrganizationsApi(owner)
id, name = demo["organization"]["id"], demo["organization"]["name"]
for body in (name, api.OrganizationName(name=name)):
    assert organizations.update_org_name(id, api.OrganizationRename(body)).data.name == name

daemons = api.DaemonsApi(owner)
[daemon, *_] = daemons.get_daemons().data
assert daemons.get_daemon_by_id(daemon.id).data.id == daemon.id
assert daemons.retry_daemon_connection(daemon.id).success
api.BindingsApi(owner).list_bindings(at=datetime.datetime.now(datetime.timezone.utc))

for key, status, kind in (
    (demo["keys"]["viewer"], 403, api.AuthPermissionDeniedError),
    ("inv_u_unknown", 401, api.AuthNotAuthenticatedError),
):
    try:
        api.OrganizationsApi(client(key)).update_org_name(id, api.OrganizationRename("Acme"))
        raise AssertionError("not refused")
    except api.ApiException as error:
        assert error.status == status and isinstance(error.data.actual_instance, kind)
