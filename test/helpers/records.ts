import { expect } from "vitest";
import * as z from "zod";
import type { Answer, Api, RequestOptions } from "./api.ts";
import { updateOf } from "./credentials.ts";
import type { Organization } from "./organization.ts";

/** A collection whose records a caller creates, replaces and deletes. */
export interface Kind {
  entity: string;
  path: string;
  /** The body of a new record, without optional fields. Its name differs each time. */
  body(organization: Pick<Organization, "id">): { name: string };
  /** The fields of such a record other than its name and the fields that every record has. */
  defaults: object;
}

const noOwnData = { external_id: null, metadata: {} };

const newName = () => `Test ${crypto.randomUUID()}`;

export const networkKind: Kind = {
  entity: "Network",
  path: "/api/v1/networks",
  body: () => ({ name: newName() }),
  defaults: {
    ...noOwnData,
    description: null,
    stale_after_hours: null,
    tags: [],
    credential_ids: [],
  },
};

export const tagKind: Kind = {
  entity: "Tag",
  path: "/api/v1/tags",
  body: () => ({ name: newName() }),
  defaults: { ...noOwnData, description: null, color: "Gray" },
};

export const credentialKind: Kind = {
  entity: "Credential",
  path: "/api/v1/credentials",
  body: ({ id }) => ({ ...updateOf(id), name: newName() }),
  defaults: {
    ...noOwnData,
    tags: [],
    assigned_network_ids: [],
    host_assignments: [],
    credential_type: { type: "DockerSocket" },
  },
};

/** The collections whose records support every verb. */
export const kinds: readonly Kind[] = [networkKind, tagKind, credentialKind];

const record = z.looseObject({ id: z.guid(), created_at: z.string(), updated_at: z.string() });

/** The record in a response, which must be a success with one record. */
export function recordIn(answer: Answer, status = 200) {
  expect(answer).toMatchObject({ status, body: { success: true } });
  return z.object({ data: record }).parse(answer.body).data;
}

/** The records in a response, which must be a success with a list of records. */
export function recordsIn(answer: Answer, status = 200) {
  expect(answer).toMatchObject({ status, body: { success: true } });
  return z.object({ data: z.array(record) }).parse(answer.body).data;
}

/** The response's entity tag, which must be strong. */
export function etagOf(answer: Answer): string {
  const etag = answer.headers.get("ETag");
  expect(etag).toMatch(/^"[0-9a-f-]+"$/);
  return String(etag);
}

/** Sends requests about one collection as one caller. */
export const callerOf = (api: Api, key: string, { path }: Kind) => ({
  create: (json: unknown, options: RequestOptions = {}) =>
    api.send("POST", path, { key, json, ...options }),
  createMany: (json: unknown, options: RequestOptions = {}) =>
    api.send("POST", `${path}/bulk`, { key, json, ...options }),
  read: (id: string, headers: Record<string, string> = {}) =>
    api.send("GET", `${path}/${id}`, { key, headers }),
  replace: (id: string, json: unknown, headers: Record<string, string> = {}) =>
    api.send("PUT", `${path}/${id}`, { key, json, headers }),
  remove: (id: string, headers: Record<string, string> = {}) =>
    api.send("DELETE", `${path}/${id}`, { key, headers }),
  removeMany: (json: unknown) => api.send("POST", `${path}/bulk-delete`, { key, json }),
});
