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

export const bindingExample: z.output<typeof bindingSchema> = {
  id: "6d0c7c5a-35f9-4c3e-8a27-0b6b0f3c1d52",
  created_at: "2026-03-02T08:15:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  type: "Port",
  service_id: "0a4f1e86-9d1b-4f57-b0a5-6f7d6f3f5b11",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  port_id: "f3b9d0b4-5c55-4f0b-9f5f-7f0f7c2a7f3e",
  ip_address_id: "8a1d6a1e-0c0e-4d3e-8b57-2f3f8f0a9c44",
  last_seen_at: "2026-04-22T15:57:37.843Z",
  valid_from: "2026-03-02T08:15:00.000Z",
  valid_to: null,
  first_discovery_id: "51f6c0de-7a3b-4b0f-8c1d-9e2f3a4b5c6d",
  last_discovery_id: "51f6c0de-7a3b-4b0f-8c1d-9e2f3a4b5c6d",
  lineage_id: null,
};
