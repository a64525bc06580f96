import { masked } from "../helpers/credentials.ts";
import { invalidReference, notFound, type Place, type Request } from "../helpers/place.ts";
import type { Records } from "../helpers/populated-organization.ts";

/** An update of the caller's own credential, in which `changes` replaces some of the ids. */
const update = (own: Records, changes: Record<string, unknown> = {}): Request => ({
  method: "PUT",
  path: `/api/v1/credentials/${own.credentials}`,
  json: {
    name: "Taken over",
    organization_id: own.organizations,
    tags: [own.tags],
    assigned_network_ids: [own.networks],
    host_assignments: [{ host_id: own.hosts, ip_address_ids: [own["ip-addresses"]] }],
    credential_type: { type: "DockerSocket" },
    ...changes,
  },
});

const invalidHost = invalidReference("Host", "body.host_assignments[0].host_id");
const invalidAddress = invalidReference("IPAddress", "body.host_assignments[0].ip_address_ids");

const assigned = (host_id: string, ...ip_address_ids: string[]) => ({
  host_assignments: [{ host_id, ...(ip_address_ids.length > 0 && { ip_address_ids }) }],
});

const ofCredential = (
  name: string,
  changes: (own: Records, sent: Records) => Record<string, unknown>,
  expected: object,
): Place => ({
  name,
  request: (own, sent) => update({ ...own, credentials: sent.credentials }, changes(own, sent)),
  expected,
});

const reference = (
  name: string,
  changes: (own: Records, sent: Records) => Record<string, unknown>,
  expected: object,
  isInNetwork = false,
): Place => ({
  name,
  request: (own, sent) => update(own, changes(own, sent)),
  expected,
  isInNetwork,
});

/** The references of a new credential: in a create, and in the second record of a bulk create. */
const ofNew = (
  name: string,
  changes: (own: Records, sent: Records) => Record<string, unknown>,
  [entity, field]: readonly [string, string],
  isInNetwork = false,
): Place[] => [
  {
    name: `${name} of a new credential`,
    request: (own, sent) => ({
      method: "POST",
      path: "/api/v1/credentials",
      json: update(own, changes(own, sent)).json,
    }),
    expected: invalidReference(entity, `body.${field}`),
    isInNetwork,
  },
  {
    name: `${name} of one of many new credentials`,
    request: (own, sent) => ({
      method: "POST",
      path: "/api/v1/credentials/bulk",
      json: [update(own).json, update(own, changes(own, sent)).json],
    }),
    expected: invalidReference(entity, `body[1].${field}`),
    isInNetwork,
  },
];

/** Every place, other than the path, where a request for credentials can contain an id. */
export const places: Place[] = [
  ofCredential(
    "the credential of an update, in the path and in the body",
    (_, { credentials: id }) => ({ id }),
    notFound,
  ),
  ofCredential(
    "the credential of an update that keeps a secret",
    () => ({ credential_type: { type: "SnmpV1", community: masked } }),
    notFound,
  ),
  {
    name: "an update with only the other's ids",
    request: (_, sent) => update(sent),
    expected: notFound,
  },
  reference(
    "organization_id",
    (_, { organizations: organization_id }) => ({ organization_id }),
    invalidReference("Organization", "body.organization_id"),
  ),
  {
    name: "all references and organization_id",
    request: (own, sent) => ({ ...update(sent), path: update(own).path }),
    expected: invalidReference("Organization", "body.organization_id"),
  },
  reference("a tag", (_, { tags }) => ({ tags: [tags] }), invalidReference("Tag", "body.tags")),
  reference(
    "a tag beside one of the caller's own",
    (own, { tags }) => ({ tags: [own.tags, tags] }),
    invalidReference("Tag", "body.tags"),
  ),
  reference(
    "a network",
    (_, { networks }) => ({ assigned_network_ids: [networks] }),
    invalidReference("Network", "body.assigned_network_ids"),
    true,
  ),
  reference(
    "a network beside one of the caller's own",
    (own, { networks }) => ({ assigned_network_ids: [own.networks, networks] }),
    invalidReference("Network", "body.assigned_network_ids"),
    true,
  ),
  reference("a whole host", (_, { hosts }) => assigned(hosts), invalidHost, true),
  reference(
    "a host and its own address",
    (_, sent) => assigned(sent.hosts, sent["ip-addresses"]),
    invalidHost,
    true,
  ),
  reference(
    "a host with one of the caller's own addresses",
    (own, { hosts }) => assigned(hosts, own["ip-addresses"]),
    invalidHost,
    true,
  ),
  reference(
    "an address",
    (own, sent) => assigned(own.hosts, sent["ip-addresses"]),
    invalidAddress,
    true,
  ),
  reference(
    "an address beside one of the caller's own",
    (own, sent) => assigned(own.hosts, own["ip-addresses"], sent["ip-addresses"]),
    invalidAddress,
    true,
  ),
  ...ofNew("organization_id", (_, { organizations: organization_id }) => ({ organization_id }), [
    "Organization",
    "organization_id",
  ]),
  ...ofNew("a tag", (_, { tags }) => ({ tags: [tags] }), ["Tag", "tags"]),
  ...ofNew(
    "a network",
    (_, { networks }) => ({ assigned_network_ids: [networks] }),
    ["Network", "assigned_network_ids"],
    true,
  ),
  ...ofNew(
    "a whole host",
    (_, { hosts }) => assigned(hosts),
    ["Host", "host_assignments[0].host_id"],
    true,
  ),
  ...ofNew(
    "an address",
    (own, sent) => assigned(own.hosts, sent["ip-addresses"]),
    ["IPAddress", "host_assignments[0].ip_address_ids"],
    true,
  ),
  {
    name: "one of many credentials that are deleted",
    request: (_, { credentials }) => ({
      method: "POST",
      path: "/api/v1/credentials/bulk-delete",
      json: [credentials],
    }),
    expected: { status: 200, body: { data: { requested_count: 1, deleted_count: 0 } } },
  },
];
