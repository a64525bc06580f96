import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { describeVerbs, orderParameters } from "../../openapi/verbs.ts";
import { seenParameters } from "../describe-filters.ts";
import { type Binding, bindingResource, bindingSchema, type ServiceBinding } from "./model.ts";
import { list } from "./routes.ts";

const tag = describeGroup({
  name: "Bindings",
  description: "Links between services, networks, ports and IP addresses, with their history.",
});

/** A binding from the demo data, inside its service. */
export const serviceBindingExample = {
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
} as const satisfies ServiceBinding;

/** A record from the demo data, so that the API reference's prefilled requests work locally. */
const bindingExample = {
  ...serviceBindingExample,
  host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  label: "Samba 445/Tcp 192.168.1.10",
} as const satisfies Binding;

describeOperation(list, {
  operationId: "list_bindings",
  tag,
  summary: "List bindings",
  description:
    "Lists the bindings on the networks that your key can access: the live versions or, with `at`, the versions that were valid at that time (`valid_from <= at < valid_to`). Filters combine with AND; an unknown id gives an empty list. The order is `group_by` ascending, then `order_by` in `order_direction`, then the id of the live version; `order_by` is `created_at` by default. A list is one consistent snapshot, even with `limit=0`.",
  parameters: {
    ids: {
      description: "Only bindings whose live versions have these ids, up to 350.",
      example: bindingExample.id,
    },
    q: {
      description:
        "Only bindings whose service contains this text in its name, definition or version, or that have this port, such as `443` or `443/Tcp`; or the binding with this id, or the bindings of the service, port or IP address with this id.",
      example: "samba",
    },
    service_id: {
      description: "Only bindings of this service.",
      example: bindingExample.service_id,
    },
    network_id: {
      description: "Only bindings on this network.",
      example: bindingExample.network_id,
    },
    port_id: {
      description: "Only bindings to this port.",
      example: bindingExample.port_id,
    },
    ip_address_id: {
      description: "Only bindings to this IP address (interface).",
      example: bindingExample.ip_address_id,
    },
    host_id: {
      description: "Only bindings of this host's services.",
      example: bindingExample.host_id,
    },
    ...seenParameters,
    ...orderParameters("created_at"),
    at: {
      description:
        "Lists the versions that were valid at this time: ISO 8601 with an offset, a date, or a time before now such as `-24h`.",
      example: "2025-04-01T00:00:00Z",
    },
  },
  data: z.array(bindingSchema),
  response: "A page of bindings.",
  example: { data: [bindingExample] },
});

describeVerbs(bindingResource, {
  tag,
  singular: "binding",
  plural: "bindings",
  schema: bindingSchema,
  example: bindingExample,
  patch: { type: "Port" },
  body: {
    type: "Port",
    service_id: bindingExample.service_id,
    port_id: "28401323-764e-4cbf-86ca-2c5de9162dd1",
    ip_address_id: bindingExample.ip_address_id,
  },
  bodies: {
    createMany: {
      type: "Port",
      service_id: bindingExample.service_id,
      port_id: "7d008955-61ba-4d9a-8af4-75575efade5d",
      ip_address_id: bindingExample.ip_address_id,
    },
    update: {
      type: "Port",
      service_id: bindingExample.service_id,
      port_id: bindingExample.port_id,
      ip_address_id: bindingExample.ip_address_id,
    },
  },
  rules:
    "Port, address and service must belong to one host. For a binding that conflicts with another one, the response is 409 `binding_conflict`.",
  deletion: "Its current version ends now; its history is kept.",
});
