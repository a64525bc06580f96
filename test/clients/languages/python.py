"""Creates, reads, lists, updates and deletes a record of every kind with a generated Python client."""
import importlib
import inspect
import json
import os
import sys
import typing

from pydantic_core import to_jsonable_python

with open(sys.argv[2], encoding="utf-8") as file:
    kinds = json.load(file)
with open(os.environ["DEMO"], encoding="utf-8") as file:
    demo = json.load(file)
service = os.environ["SERVICE"]


def variants(annotation: typing.Any) -> list[typing.Any]:
    """Returns a body's classes; a union has several."""
    if typing.get_origin(annotation) is typing.Annotated:
        return variants(typing.get_args(annotation)[0])
    classes = [one for part in typing.get_args(annotation) for one in variants(part)]
    return classes or ([annotation] if hasattr(annotation, "from_dict") else [])


def parsed(function: typing.Any, name: str, value: typing.Any) -> typing.Any:
    """Returns a body with the type of the function's parameter."""
    for model in variants(typing.get_type_hints(function, include_extras=True)[name]):
        try:
            return model.from_dict(value)
        except (KeyError, TypeError, ValueError) as error:
            failure = error
    raise failure


class OpenapiGenerator:
    def __init__(self) -> None:
        self.api = importlib.import_module("openapi_client")

    def call(self, kind: dict, verb: str, *id: str, body: typing.Any = None, key: str = "owner", **options: typing.Any):
        configuration = self.api.Configuration(host=service, access_token=demo["keys"][key])
        group = "".join(word[0].upper() + word[1:] for word in kind["tag"].split()) + "Api"
        function = getattr(getattr(self.api, group)(self.api.ApiClient(configuration)), kind[verb]["operationId"])
        if body is not None:
            name = [name for name in inspect.signature(function).parameters if name != "id"][0]
            options[name] = parsed(function, name, body)
        return function(*id, **options)

    def refusal(self, *arguments: typing.Any, **options: typing.Any):
        try:
            return self.call(*arguments, **options)
        except self.api.ApiException as error:
            return error.data.actual_instance


class OpenapiPythonClient:
    def __init__(self) -> None:
        self.package = "network_inventory_api_client"
        self.module = importlib.import_module(self.package)

    def call(self, kind: dict, verb: str, *id: str, body: typing.Any = None, key: str = "owner", **options: typing.Any):
        operation = kind[verb]["operationId"]
        group = kind["tag"].lower().replace(" ", "_")
        function = importlib.import_module(f"{self.package}.api.{group}.{operation}").sync
        client = self.module.AuthenticatedClient(base_url=service, token=demo["keys"][key])
        if body is not None:
            options["body"] = parsed(function, "body", body)
        return function(*id, client=client, **options)

    refusal = call


def record_in(data: typing.Any) -> typing.Any:
    """Returns the record itself: openapi-generator wraps members of unions."""
    return getattr(data, "actual_instance", data)


client = {"openapi_client": OpenapiGenerator, "network_inventory_api_client": OpenapiPythonClient}[sys.argv[1]]()
for kind in kinds:
    created = client.call(kind, "create", body=kind["example"]).data
    record = record_in(getattr(created, kind["within"]) if kind["within"] else created)
    read = record_in(client.call(kind, "read", record.id).data)
    assert read.id == record.id
    assert any(record_in(one).id == record.id for one in client.call(kind, "list", limit=1000).data)
    updated = record_in(client.call(kind, "update", record.id, body=to_jsonable_python(read.to_dict())).data)
    assert updated.id == record.id
    assert client.call(kind, "delete", record.id).success

organization = {"tag": "Organizations", "rename": {"operationId": "update_org_name"}}
refused = client.refusal(organization, "rename", demo["organization"]["id"], body={"name": "Acme"}, key="viewer")
assert type(refused).__name__ == "AuthPermissionDeniedError" and refused.params.required_role == "Owner"
