import type { Role } from "../../src/roles.ts";
import type { Answer, Api, RequestOptions } from "./api.ts";
import {
  mintBinding,
  mintCredential,
  mintDaemon,
  mintOrganization,
  unreachable,
} from "./organization.ts";

/** An organization that has something of everything that an operation can be about. */
export async function mintScene() {
  const organization = await mintOrganization({ name: "Before" });
  const [network] = organization.networks;
  return {
    organization,
    credential_id: await mintCredential(organization.id),
    daemon_id: await mintDaemon(organization.id, network.id, unreachable),
    binding_id: await mintBinding(organization.id, network),
  };
}

export type Scene = Awaited<ReturnType<typeof mintScene>>;

/** The secret that the update of a credential sends. */
export const sentSecret = "a-community-nobody-may-see";

/** An operation of the API, with a request that succeeds for a key of its least role. */
export interface Operation {
  name: string;
  method: "GET" | "PUT" | "POST";
  /** The pattern of its path. */
  route: string;
  leastRole: Role;
  path(scene: Scene): string;
  /** A valid body, where the operation takes one. */
  body?(scene: Scene): unknown;
}

/** Every operation that needs a key. */
export const operations: readonly Operation[] = [
  {
    name: "list credentials",
    method: "GET",
    route: "/api/v1/credentials",
    leastRole: "Viewer",
    path: () => "/api/v1/credentials",
  },
  {
    name: "list bindings",
    method: "GET",
    route: "/api/v1/bindings",
    leastRole: "Viewer",
    path: () => "/api/v1/bindings",
  },
  {
    name: "list daemons",
    method: "GET",
    route: "/api/v1/daemons",
    leastRole: "Viewer",
    path: () => "/api/v1/daemons",
  },
  {
    name: "read a daemon",
    method: "GET",
    route: "/api/v1/daemons/:id",
    leastRole: "Viewer",
    path: ({ daemon_id }) => `/api/v1/daemons/${daemon_id}`,
  },
  {
    name: "retry a daemon's connection",
    method: "POST",
    route: "/api/v1/daemons/:id/retry-connection",
    leastRole: "Member",
    path: ({ daemon_id }) => `/api/v1/daemons/${daemon_id}/retry-connection`,
  },
  {
    name: "update a credential",
    method: "PUT",
    route: "/api/v1/credentials/:id",
    leastRole: "Admin",
    path: ({ credential_id }) => `/api/v1/credentials/${credential_id}`,
    body: ({ organization }) => ({
      name: "After",
      organization_id: organization.id,
      tags: [],
      assigned_network_ids: [],
      host_assignments: [],
      credential_type: { type: "SnmpV1", community: { mode: "Inline", value: sentSecret } },
    }),
  },
  {
    name: "rename an organization",
    method: "PUT",
    route: "/api/v1/organizations/:id",
    leastRole: "Owner",
    path: ({ organization }) => `/api/v1/organizations/${organization.id}`,
    body: () => "After",
  },
];

/** Sends the request of an operation. */
export const perform = (
  api: Api,
  { method, path, body }: Operation,
  scene: Scene,
  options: RequestOptions = {},
): Promise<Answer> => api.send(method, path(scene), { json: body?.(scene), ...options });
