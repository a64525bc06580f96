import type { PopulatedOrganization } from "../helpers/populated-organization.ts";

/** Ids of records, as a caller would send them. */
export interface Ids {
  organization_id: string;
  credential_id: string;
  daemon_id: string;
  tag_id: string;
  network_id: string;
  host_id: string;
  service_id: string;
  port_id: string;
  ip_address_id: string;
}

export const idsOf = ({ id, network, tags, ...organization }: PopulatedOrganization): Ids => ({
  organization_id: id,
  credential_id: organization.credential_id,
  daemon_id: organization.daemon_id,
  tag_id: tags[0],
  network_id: network.id,
  host_id: network.host_id,
  service_id: network.service_id,
  port_id: network.port_id,
  ip_address_id: organization.ip_address_id,
});

export const nobodys = (): Ids => ({
  organization_id: crypto.randomUUID(),
  credential_id: crypto.randomUUID(),
  daemon_id: crypto.randomUUID(),
  tag_id: crypto.randomUUID(),
  network_id: crypto.randomUUID(),
  host_id: crypto.randomUUID(),
  service_id: crypto.randomUUID(),
  port_id: crypto.randomUUID(),
  ip_address_id: crypto.randomUUID(),
});

export interface Request {
  method: string;
  path: string;
  json?: unknown;
}

/** An update of the caller's own credential that differs in some ids. */
const update = (own: Ids, changes: Record<string, unknown>): Request => ({
  method: "PUT",
  path: `/api/v1/credentials/${own.credential_id}`,
  json: {
    name: "Taken over",
    organization_id: own.organization_id,
    tags: [own.tag_id],
    assigned_network_ids: [own.network_id],
    host_assignments: [{ host_id: own.host_id, ip_address_ids: [own.ip_address_id] }],
    credential_type: { type: "DockerSocket" },
    ...changes,
  },
});

const bindings = (query: string): Request => ({ method: "GET", path: `/api/v1/bindings?${query}` });

const notFound = { status: 404, body: { code: "entity_not_found" } };
const invalid = (entity: string, field: string) => ({
  status: 400,
  body: { code: "entity_reference_invalid", params: { entity, field } },
});
const empty = { status: 200, body: { data: [], meta: { pagination: { total_count: 0 } } } };
const host = "host_assignments.host_id";
const address = "host_assignments.ip_address_ids";

/** Its name, the request that sends ids there, and the answer to ids that are not the caller's. */
type Place = [name: string, request: (own: Ids, sent: Ids) => Request, expected: object];

/** Every place in which a caller can send an id. */
export const places: Place[] = [
  [
    "the organization of a rename",
    (_, { organization_id }) => ({
      method: "PUT",
      path: `/api/v1/organizations/${organization_id}`,
      json: "Taken over",
    }),
    notFound,
  ],
  [
    "the daemon of a retry",
    (_, { daemon_id }) => ({
      method: "POST",
      path: `/api/v1/daemons/${daemon_id}/retry-connection`,
    }),
    notFound,
  ],
  [
    "the credential of an update",
    (own, { credential_id }) => ({
      ...update(own, {}),
      path: `/api/v1/credentials/${credential_id}`,
    }),
    notFound,
  ],
  [
    "the credential of an update, in the path and in the body",
    (own, { credential_id }) => ({
      ...update(own, { id: credential_id }),
      path: `/api/v1/credentials/${credential_id}`,
    }),
    notFound,
  ],
  ["an update that is all the other's", (_, sent) => update(sent, {}), notFound],
  [
    "organization_id",
    (own, { organization_id }) => update(own, { organization_id }),
    invalid("Organization", "organization_id"),
  ],
  [
    "all references and organization_id",
    (own, sent) => ({ ...update(sent, {}), path: update(own, {}).path }),
    invalid("Organization", "organization_id"),
  ],
  ["a tag", (own, { tag_id }) => update(own, { tags: [tag_id] }), invalid("Tag", "tags")],
  [
    "a tag beside an own one",
    (own, { tag_id }) => update(own, { tags: [own.tag_id, tag_id] }),
    invalid("Tag", "tags"),
  ],
  [
    "a network",
    (own, { network_id }) => update(own, { assigned_network_ids: [network_id] }),
    invalid("Network", "assigned_network_ids"),
  ],
  [
    "a network beside an own one",
    (own, { network_id }) => update(own, { assigned_network_ids: [own.network_id, network_id] }),
    invalid("Network", "assigned_network_ids"),
  ],
  [
    "a whole host",
    (own, { host_id }) => update(own, { host_assignments: [{ host_id }] }),
    invalid("Host", host),
  ],
  [
    "a host and its own address",
    (own, { host_id, ip_address_id }) =>
      update(own, { host_assignments: [{ host_id, ip_address_ids: [ip_address_id] }] }),
    invalid("Host", host),
  ],
  [
    "a host with an own address",
    (own, { host_id }) =>
      update(own, { host_assignments: [{ host_id, ip_address_ids: [own.ip_address_id] }] }),
    invalid("Host", host),
  ],
  [
    "an address",
    (own, { ip_address_id }) =>
      update(own, {
        host_assignments: [{ host_id: own.host_id, ip_address_ids: [ip_address_id] }],
      }),
    invalid("IPAddress", address),
  ],
  [
    "an address beside an own one",
    (own, { ip_address_id }) =>
      update(own, {
        host_assignments: [
          { host_id: own.host_id, ip_address_ids: [own.ip_address_id, ip_address_id] },
        ],
      }),
    invalid("IPAddress", address),
  ],
  ...(["service_id", "network_id", "port_id", "ip_address_id"] as const).flatMap((name) =>
    ["", "&limit=0", "&at=2999-01-01T00:00:00Z"].map(
      (rest): Place => [
        `the filter ${name} with the query "${rest}"`,
        (_, sent) => bindings(`${name}=${sent[name]}${rest}`),
        empty,
      ],
    ),
  ),
];
