import type { PopulatedOrganization, Records } from "./populated-organization.ts";

export interface Request {
  method: string;
  path: string;
  json?: unknown;
}

/** A place in which a caller can send an id. */
export interface Place {
  name: string;
  /** A request of the caller that sends ids there. */
  request(own: Records, sent: Records, organization: PopulatedOrganization): Request;
  /** The answer to ids that are not the caller's. */
  expected: object;
  /** Whether the ids are of records that lie in a network. */
  isInNetwork?: boolean;
}

export const notFound = { status: 404, body: { code: "entity_not_found" } };
export const invalidReference = (entity: string, field: string) => ({
  status: 400,
  body: { code: "entity_reference_invalid", params: { entity, field } },
});
export const emptyList = {
  status: 200,
  body: { data: [], meta: { pagination: { total_count: 0 } } },
};
