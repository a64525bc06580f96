import type { PopulatedOrganization, Records } from "./populated-organization.ts";

export interface Request {
  method: string;
  path: string;
  json?: unknown;
}

/** A place where a caller can send an id. */
export interface Place {
  name: string;
  /** The caller's request with ids at this location. */
  request(own: Records, sent: Records, organization: PopulatedOrganization): Request;
  /** The response if the ids are not the caller's. */
  expected: object;
  /** True if the ids identify records in a network. */
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

/** The filters of a list of records with history, each with the collection whose ids it takes. */
export const filterPlaces = (
  collection: string,
  filters: Readonly<Record<string, keyof Records>>,
): Place[] =>
  Object.entries(filters).flatMap(([filter, of]) =>
    ["", "&limit=0", "&at=2999-01-01T00:00:00Z"].map((rest) => ({
      name: `the filter ${filter} of ${collection} with the query "${rest}"`,
      request: (_, sent) => ({
        method: "GET",
        path: `/api/v1/${collection}?${filter}=${sent[of]}${rest}`,
      }),
      expected: emptyList,
      isInNetwork: of !== "tags",
    })),
  );

/** The creation of a record with another record's id in a field. */
export const creationPlace = (
  path: string,
  { entity, field }: { entity: string; field: string },
  json: (own: Records, sent: Records) => unknown,
): Place => ({
  name: `${field} of POST ${path}`,
  request: (own, sent) => ({ method: "POST", path: `/api/v1/${path}`, json: json(own, sent) }),
  expected: invalidReference(entity, field),
  isInNetwork: entity !== "Tag",
});

/** The ids in a bulk deletion. */
export const bulkDeletePlace = (collection: keyof Records): Place => ({
  name: `the ids of POST ${collection}/bulk-delete`,
  request: (_, sent) => ({
    method: "POST",
    path: `/api/v1/${collection}/bulk-delete`,
    json: [sent[collection]],
  }),
  expected: { status: 200, body: { data: { requested_count: 1, deleted_count: 0 } } },
  isInNetwork: true,
});
