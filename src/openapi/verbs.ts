import type { JSONParsed } from "hono/utils/types";
import * as z from "zod";
import type { Columns } from "../database/collection.ts";
import type { Verb } from "../http/declares.ts";
import { maximumRecords } from "../http/verbs/create.ts";
import type { Resource } from "../http/verbs/resource.ts";
import { type Description, describeResource } from "./describe.ts";
import { emptySchema } from "./envelope.ts";
import { idParameter } from "./texts.ts";

/** The handwritten description of a resource that has the standard verbs. */
interface ResourceDocs<Item, Schema extends z.ZodType> {
  /** The name of the group of operations. */
  tag: string;
  /** The name of one record, such as `network`, and its plural. */
  singular: string;
  plural: string;
  schema: Schema & ([JSONParsed<z.output<Schema>>] extends [Item] ? unknown : never);
  /** A record, and the body that creates or replaces it. */
  example: NoInfer<Item> & { id: string };
  body: object;
  /**
   * Different bodies for the bulk-create, replace and upsert examples, so that each example succeeds
   * on the demo data.
   */
  bodies?: { createMany?: object; update?: object; upsert?: object };
  /** The body of the patch example; by default, only the name. */
  patch?: object;
  /** Markdown: the rules for the fields, for create and replace. */
  rules?: string;
  /** Markdown: the further effects of a deletion, and the conditions that prevent it. */
  deletion?: string;
  /** Descriptions of the list's filters. */
  filters?: Description<unknown>["parameters"];
  /** Operation ids that differ from the defaults. */
  operationIds?: Partial<Record<Verb, string>>;
}

/**
 * The descriptions of a list's order parameters, with fields as examples.
 * @param components the names of the parameters' components, if another list has the same fields
 */
export const orderParameters = (
  order_by: string,
  group_by = order_by,
  components?: { group_by: string; order_by: string },
) => ({
  group_by: {
    description: "The field to order by first, always ascending, so that groups stay together.",
    example: group_by,
    ...(components && { component: components.group_by }),
  },
  order_by: {
    description: "The field to order by, within groups if there are any.",
    example: order_by,
    ...(components && { component: components.order_by }),
  },
  order_direction: { description: "The direction of `order_by`.", example: "desc" },
});

/** The description of the filter by name. */
export const nameFilter = (example: { name: string }) => ({
  name: { description: "Only records with this name, ignoring case.", example: example.name },
});

/** The description of the filter by external id. */
export const externalIdFilter = {
  external_id: {
    description: "Only the record with this external id.",
    example: "cmdb-1042",
  },
};

/** The external id in examples. */
const externalIdOf = { external_id: "cmdb-1042" };

/** The description of an external id in a path. */
export const externalIdPath = {
  external_id: {
    description: "The external id, in the same kind of record. It is matched exactly.",
    example: externalIdOf.external_id,
  },
};

export const upsertRule =
  "The body is that of PUT by id, and must also be a valid body of POST if there is no such record. Its `external_id` may be omitted. The request can be repeated safely.";
export const conditionalUpsert =
  "With `If-None-Match: *`, it only creates; with `If-Match`, it only replaces, and only a record with that `ETag`. Otherwise the response is 412, and nothing changes.";

const listRule =
  "Filters combine with AND. The order is `group_by` ascending, then `order_by` in `order_direction`, then `id`. Names sort by code point.";
const idempotent =
  "Send an `Idempotency-Key` to repeat the request safely: for 24 hours, the same key with the same body returns the records that the first request created, with the header `Idempotent-Replayed: true`.";
const conditional =
  "With `If-Match`, nothing changes unless the record still has that `ETag`; without it, the last write wins.";

const deletedSchema = z.object({ requested_count: z.int(), deleted_count: z.int() }).meta({
  id: "BulkDeletion",
  description: "The number of ids that were sent, and the number of records that were deleted.",
});

/**
 * Describes the verbs of a resource, including verbs that do not have an endpoint yet. It does not
 * compile unless the resource's records fit the schema.
 */
export function describeVerbs<Read extends Columns, Item, Schema extends z.ZodType>(
  resource: Resource<Read, Item>,
  docs: ResourceDocs<Item, Schema>,
): void {
  const { tag, singular, plural, schema, example, body, rules = "" } = docs;
  const article = /^[aeiou]/i.test(singular) ? "an" : "a";
  const snake = (text: string) => text.toLowerCase().replaceAll(/[ -]/g, "_");
  const id = idParameter(resource.entity, singular, example.id);
  const notFound = { entity_not_found: { entity: resource.entity, id: example.id } };
  const described = (
    verb: Verb,
    operationId: string,
    description: Omit<Description<unknown>, "operationId" | "tag">,
  ): Description<unknown> => ({
    operationId: docs.operationIds?.[verb] ?? operationId,
    tag,
    ...description,
  });
  describeResource(resource.path, {
    list: described("list", `list_${snake(plural)}`, {
      summary: `List ${plural}`,
      description: `Lists the ${plural} that your key can access. ${listRule}`,
      parameters: { ...orderParameters("name"), ...docs.filters },
      data: z.array(schema),
      response: `A page of ${plural}.`,
      example: { data: [example] },
    }),
    read: described("read", `get_${snake(singular)}_by_id`, {
      summary: `Get ${article} ${singular}`,
      description: `Gets one ${singular}. With \`If-None-Match\`, the response is 304 while the record still has that \`ETag\`.`,
      parameters: id,
      data: schema,
      response: `The ${singular}.`,
      responseComponent: `${resource.entity}Record`,
      example: { data: example },
      errorExamples: notFound,
    }),
    create: described("create", `create_${snake(singular)}`, {
      summary: `Create ${article} ${singular}`,
      description: `Creates ${article} ${singular}. An \`id\` that you choose must not be in use. ${rules}\n\n${idempotent}`,
      data: schema,
      response: `The ${singular} that was created.`,
      example: { body, data: example },
    }),
    createMany: described("createMany", `bulk_create_${snake(plural)}`, {
      summary: `Create many ${plural}`,
      description: `Creates 1 to 100 ${plural} atomically, and returns them in the order in which they were sent. ${rules}\n\n${idempotent}`,
      data: z.array(schema).max(maximumRecords),
      response: `The ${plural} that were created, in the order in which they were sent.`,
      example: { body: [docs.bodies?.createMany ?? body], data: [example] },
    }),
    update: described("update", `update_${snake(singular)}`, {
      summary: `Replace ${article} ${singular}`,
      description: `Replaces the whole ${singular}: an omitted field takes its default. To change one field, read the record and send it back with that field changed. ${rules}\n\n${conditional}`,
      parameters: id,
      data: schema,
      response: `The ${singular} as it is now.`,
      responseComponent: `Updated${resource.entity}`,
      example: { body: docs.bodies?.update ?? body, data: example },
      errorExamples: notFound,
    }),
    patch: described("patch", `patch_${snake(singular)}`, {
      summary: `Change fields of ${article} ${singular}`,
      description: `Changes the fields that are sent (RFC 7396): omitted fields do not change, null clears, objects are merged, lists are replaced. The result is validated like the body of a PUT. If another request changes the record in the meantime, the service tries a second time. ${rules}\n\n${conditional}`,
      parameters: id,
      data: schema,
      response: `The ${singular} as it is now.`,
      responseComponent: `Updated${resource.entity}`,
      example: { body: docs.patch ?? { name: Object(example).name }, data: example },
      errorExamples: notFound,
    }),
    patchMany: described("patchMany", `bulk_patch_${snake(plural)}`, {
      summary: `Change fields of many ${plural}`,
      description: `Changes the fields that are sent (RFC 7396) of 1 to 100 ${plural} atomically, in the order in which they are sent, and returns the ${plural} in this order. An \`id\` that does not exist for your key is an error (404), and nothing changes. If another request changes one of the records in the meantime, the service tries a second time. If the records without their lists of children have more than 1 MiB in total, the response is 413: send fewer. ${rules}`,
      data: z.array(schema).max(maximumRecords),
      component: `Patched${resource.entity}`,
      response: `The ${plural} as they are now, in the order in which they were sent.`,
      example: {
        body: [{ id: example.id, ...(docs.patch ?? { name: Object(example).name }) }],
        data: [example],
      },
      errorExamples: notFound,
    }),
    upsert: described("upsert", `upsert_${snake(singular)}`, {
      summary: `Create or replace ${article} ${singular}`,
      description: `Replaces the ${singular} with this external id (200), or creates it (201). ${upsertRule} ${rules}\n\n${conditionalUpsert}`,
      parameters: externalIdPath,
      data: schema,
      response: `The ${singular} as it is now.`,
      example: { body: docs.bodies?.upsert ?? body, data: { ...Object(example), ...externalIdOf } },
    }),
    delete: described("delete", `delete_${snake(singular)}`, {
      summary: `Delete ${article} ${singular}`,
      description: `Deletes one ${singular}. ${docs.deletion ?? ""}\n\n${conditional}`,
      parameters: { ...id, ...docs.filters },
      data: emptySchema,
      response: `The ${singular} is gone.`,
      example: { data: {} },
      errorExamples: notFound,
    }),
    deleteMany: described("deleteMany", `bulk_delete_${snake(plural)}`, {
      summary: `Delete many ${plural}`,
      description: `Deletes 1 to 1,000 ${plural} atomically. Ids that do not exist for your key are skipped. ${docs.deletion ?? ""}`,
      data: deletedSchema,
      response: "The number of deleted records.",
      responseComponent: "DeletedRecords",
      example: { body: [example.id], data: { requested_count: 1, deleted_count: 1 } },
    }),
  });
}
