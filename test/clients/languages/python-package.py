"""Lists hosts, patches one with a typed body, and follows the feed, with the installed Python package."""
import json
import os
from importlib.metadata import metadata

from network_inventory_api_client import AuthenticatedClient
from network_inventory_api_client.api.changes import get_changes
from network_inventory_api_client.api.hosts import get_all_hosts, patch_host
from network_inventory_api_client.models import (
    HostListResponse,
    HostPatch,
    HostResponse,
    InventoryChangeListResponse,
)

with open(os.environ["DEMO"], encoding="utf-8") as file:
    demo = json.load(file)
assert metadata("network-inventory-api-client")["Version"] == os.environ["VERSION"]
assert metadata("network-inventory-api-client")["License-Expression"] == "MIT"
client = AuthenticatedClient(base_url=os.environ["SERVICE"], token=demo["keys"]["owner"])

start = get_changes.sync(client=client, cursor="now")
assert isinstance(start, InventoryChangeListResponse)
listed = get_all_hosts.sync(client=client, limit=1, include_children=False)
assert isinstance(listed, HostListResponse)
host = listed.data[0]

description = f"Patched by {os.environ['PACKAGE']}"
patched = patch_host.sync(host.id, client=client, body=HostPatch(description=description))
assert isinstance(patched, HostResponse)
assert patched.data.description == description and patched.data.name == host.name

cursor, seen = start.meta.next_cursor, []
while not seen:
    page = get_changes.sync(client=client, cursor=cursor)
    assert isinstance(page, InventoryChangeListResponse)
    cursor, seen = page.meta.next_cursor, [change for change in page.data if change.entity_id == host.id]
assert seen[0].after.description == description
