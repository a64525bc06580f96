import * as z from "zod";
import { bindingTypes } from "../database/schema/index.ts";
import { annotations } from "../http/openapi/describe.ts";
import { instantAnswer, recordAnswer, uuidAnswer } from "../http/openapi/records.ts";

/** A version of a binding as callers see it (API contract, section 5). */
export const bindingSchema = z
  .object({
    ...recordAnswer,
    type: z.enum(bindingTypes).register(annotations, {
      description:
        "`Port`: `port_id` is set, and `ip_address_id` is set or null for all addresses of the host. `IPAddress`: `ip_address_id` is set and `port_id` is null.",
    }),
    service_id: uuidAnswer(),
    network_id: uuidAnswer(),
    port_id: uuidAnswer().nullable(),
    ip_address_id: uuidAnswer().nullable(),
    last_seen_at: instantAnswer(),
    valid_from: instantAnswer(),
    valid_to: instantAnswer().nullable().register(annotations, {
      description: "Until when this version held; null for the live version.",
    }),
    first_discovery_id: uuidAnswer().nullable(),
    last_discovery_id: uuidAnswer().nullable(),
    lineage_id: uuidAnswer().nullable().register(annotations, {
      description: "The id of the live version; null for the live version itself.",
    }),
  })
  .register(annotations, {
    id: "Binding",
    description: "A version of the link between a service, a network, a port and an IP address.",
  });

/** A record of the demo data, so that the reference's prefilled requests find it in local development. */
export const bindingExample = {
  id: "b95882a0-719c-4792-89cc-5ea18ee7b214",
  created_at: "2025-03-02T03:16:01.357Z",
  updated_at: "2025-03-02T03:16:01.357Z",
  type: "Port",
  service_id: "7b740975-b427-4103-82f4-f8fe7cf95874",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  port_id: "15e32be1-8f8e-42d8-8a2c-e8e087509107",
  ip_address_id: "cdb4cd21-ff85-40a2-8d2c-e5b5da88f3cd",
  last_seen_at: "2025-09-14T21:47:05.310Z",
  valid_from: "2025-03-02T03:16:01.357Z",
  valid_to: null,
  first_discovery_id: "8685345b-3969-457f-8da2-ca630283d2a4",
  last_discovery_id: "2b86e171-b480-43b4-839c-4219b4b64e1b",
  lineage_id: null,
} satisfies z.output<typeof bindingSchema>;
