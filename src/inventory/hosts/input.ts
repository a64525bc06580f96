import * as z from "zod";
import { hostTexts } from "../../database/tables/index.ts";
import { mapValues } from "../../database/tables/map-values.ts";
import { eachOnce, eachWithOwnChildren, idKey } from "../../http/input/each-once.ts";
import { id, idOrNone } from "../../http/input/id.ts";
import { ownDataInput } from "../../http/input/own-data.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { idSet, setOf } from "../../http/input/set.ts";
import { name, optionalText } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { bindingIds } from "../child-ids.ts";
import { addressKey, interfaceKey, portKey } from "../guards/natural-keys.ts";
import { hostInterfaceInput } from "../interfaces/input.ts";
import { hostAddressInput } from "../ip-addresses/input.ts";
import { hostPortInput } from "../ports/input.ts";
import { hostServiceInput } from "../services/input.ts";

/** Maximum number of children of each kind in one request. */
const maximumChildren = 1000;

const undefinedIfNull = <Value>(value: Value | null | undefined) => value ?? undefined;

const children = <Child extends z.ZodType<{ id?: string | undefined }>>(
  child: Child,
  plural: string,
  ...checks: readonly ((payload: z.core.ParsePayload<z.output<Child>[]>) => void)[]
) =>
  z
    .array(child)
    .max(maximumChildren, { error: `must have at most ${maximumChildren} members` })
    .check(...checks)
    .nullable()
    .optional()
    .transform(undefinedIfNull)
    .meta({ description: `All its ${plural}. If omitted or null, they do not change.` });

const text = optionalText(255);

/** The input for a host's virtualization. */
const proxmoxInput = z
  .strictObject({
    type: z.literal("Proxmox"),
    details: z
      .strictObject({
        vm_name: text,
        vm_id: text,
        service_id: idOrNone
          .default(null)
          .meta({ description: "The service that runs it, on the same network." }),
      })
      .meta({ id: "ProxmoxDetailsInput" }),
  })
  .meta({ id: "ProxmoxVirtualizationInput", description: "The virtual machine of the host." });

/** The input for assigning a credential to a host. */
const credentialAssignmentInput = z
  .strictObject({
    credential_id: id,
    // An empty list would not match any address, and must not be interpreted as the whole host.
    ip_address_ids: idSet
      .min(1, { error: "must not be empty: for the whole host, send null or omit it" })
      .nullable()
      .default(null),
  })
  .meta({ id: "CredentialAssignmentInput" });

/** The input for a host with its children (API contract, section 9). */
export const hostInput = z
  .strictObject({
    ...historicalRecordInput,
    source: ignored,
    is_stale: ignored,
    network_id: id,
    name,
    ip_addresses: children(
      hostAddressInput,
      "addresses",
      eachOnce<z.output<typeof hostAddressInput>>(idKey, addressKey),
    ),
    ports: children(
      hostPortInput,
      "ports",
      eachOnce<z.output<typeof hostPortInput>>(idKey, portKey),
    ),
    interfaces: children(
      hostInterfaceInput,
      "interfaces",
      eachOnce<z.output<typeof hostInterfaceInput>>(idKey, interfaceKey),
    ),
    services: children(
      hostServiceInput,
      "services",
      eachOnce(idKey),
      eachWithOwnChildren(bindingIds),
    ),
    credential_assignments: setOf(
      credentialAssignmentInput,
      ({ credential_id }) => credential_id,
      "credential_id",
    )
      .nullable()
      .optional()
      .transform(undefinedIfNull)
      .meta({ description: "All its credentials. If omitted or null, they do not change." }),
    hostname: text,
    description: optionalText(500),
    ...ownDataInput,
    hidden: z.boolean().default(false),
    tags: idSet.default([]),
    virtualization: proxmoxInput.nullable().default(null),
    ...mapValues(hostTexts, optionalText),
  })
  .meta({ id: "HostInput", description: "A host, with its children. Unknown fields are errors." });
export type HostInput = z.output<typeof hostInput>;

/**
 * {@link hostInput} for an existing host. The network is optional, since it cannot change. What
 * scans find about its device does not change if it is omitted: a client that does not know these
 * fields must not erase them.
 */
export const hostReplacement = hostInput
  .extend({
    network_id: id
      .optional()
      .meta({ description: "The network of the host, which cannot change." }),
    expected_updated_at: timestamp.nullable().optional().meta({
      description:
        "The `updated_at` that was read. If the record now has a different one, nothing changes (412). Prefer `If-Match`.",
    }),
    ...mapValues(hostTexts, (maximum) => optionalText(maximum).unwrap().optional()),
  })
  .meta({
    id: "HostReplacement",
    description:
      "A host, with its children. Omitted fields of its device do not change. Unknown fields are errors.",
  });
export type HostReplacement = z.output<typeof hostReplacement>;
