import { sql } from "drizzle-orm";
import * as z from "zod";
import { childrenOf } from "../../database/children.ts";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live, partsOf, versionsAs } from "../../database/history.ts";
import { membersOfAt } from "../../database/sets.ts";
import { bindings, hosts, services } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { ownDataFields } from "../../http/input/own-data.ts";
import { sortedIds } from "../../http/input/set.ts";
import { name, textOf } from "../../http/input/text.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import type { Parts } from "../../http/list/source.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields, sourceSchema, toSource } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import {
  type ServiceBinding,
  serviceBindingColumns,
  serviceBindingResource,
  serviceBindingSchema,
} from "../bindings/model.ts";
import { isOpen } from "../is-open.ts";
import { partListing } from "../part-listing.ts";
import { serviceTags } from "../writes/tag-sets.ts";

const text = textOf(1, 255).nullable();

/** The schema of a service's virtualization. */
const dockerSchema = z
  .object({
    type: z.literal("Docker"),
    details: z
      .object({
        container_name: text,
        container_id: text,
        compose_project: text,
        service_id: id.nullable(),
      })
      .meta({ id: "DockerDetails" }),
  })
  .meta({ id: "DockerVirtualization", description: "The container of the service." });

/** The schema of a host's service (API contract, section 9). */
export const serviceSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    host_id: id,
    name,
    service_definition: textOf(1, 255),
    version: text,
    virtualization: dockerSchema.nullable(),
    ...ownDataFields,
    tags: sortedIds("Its tags."),
    position: integer(),
    source: sourceSchema,
    is_open: z.boolean().meta({
      description: "True while it has a binding. A service that no longer listens keeps its id.",
    }),
    bindings: z.array(serviceBindingSchema).max(131_070),
  })
  .meta({ id: "Service", description: "A version of a host's service, open or closed." });
export type Service = z.output<typeof serviceSchema>;
labelBy(serviceSchema, ({ name }) => `${name}`);

const orderOfBindings = sql`${bindings.created_at}, ${bindings.live_id}`;

const record = { table: sql`${services}`, key: "live_id" } as const;

const own = columnsOf(
  services,
  serviceSchema.omit({
    tags: true,
    source: true,
    is_open: true,
    bindings: true,
    virtualization: true,
  }),
);

/** The columns of versions of services, without their bindings. */
const headColumns = ({ versions }: Variant) => ({
  ...columnsAt(services, own, versions),
  virtualization: sql<Service["virtualization"]>`${services.virtualization}`,
  tags: membersOfAt(serviceTags, record, versions),
  source: services.source,
});

/** {@link headColumns} with `is_open`, for a service whose bindings are read separately. */
const largeColumns = (chosen: Variant) => ({
  ...headColumns(chosen),
  is_open: isOpen("service_id", services.live_id, chosen.versions),
});

export const serviceColumns = ({ versions }: Variant) => ({
  ...headColumns({ versions }),
  bindings: childrenOf<ServiceBinding>(
    { table: bindings, columns: columnsAt(bindings, serviceBindingColumns, versions) },
    partsOf(bindings, "service_id", services.live_id, versions),
    orderOfBindings,
  ),
});

/** Maps a row to a service in the response format. */
export const toService = ({
  source,
  bindings: own,
  ...service
}: RowOf<ReturnType<typeof serviceColumns>>): Service => ({
  ...service,
  source: toSource(source),
  is_open: own.length > 0,
  bindings: own,
});

/** The parts of a service with too many bindings for a single read. */
const inParts = (chosen: Variant): Parts<ReturnType<typeof largeColumns>> => ({
  head: largeColumns(chosen),
  toHead: ({ source, ...service }) => ({ ...service, source: toSource(source) }),
  lists: (id) => ({
    bindings: partListing(serviceBindingResource, chosen, {
      column: "service_id",
      id,
      order: orderOfBindings,
    }),
  }),
});

/** The services of hosts, with their bindings. */
export const serviceResource = historical(
  {
    entity: "Service" as const,
    schema: serviceSchema,
    path: "/api/v1/services",
    table: services,
    columns: serviceColumns({ versions: live }),
    orderFields: {
      created_at: services.created_at,
      updated_at: services.updated_at,
      name: sql`${services.name} collate "C"`,
      network_id: services.network_id,
      position: services.position,
      host: (versions) => sql`(
        select owner.name collate "C" from ${hosts} as owner
        where owner.live_id = ${services.host_id} and ${versionsAs("owner", versions)})`,
    },
    toItem: toService,
    inParts: inParts({ versions: live }),
  },
  (chosen) => ({
    columns: serviceColumns(chosen),
    inParts: inParts(chosen),
  }),
);
