import { expect } from "vitest";
import type * as z from "zod";
import { networks as networkTable } from "../../src/database/tables/index.ts";
import { bindingSchema } from "../../src/inventory/bindings/model.ts";
import { hostSchema } from "../../src/inventory/hosts/model.ts";
import { interfaceSchema } from "../../src/inventory/interfaces/model.ts";
import { ipAddressSchema } from "../../src/inventory/ip-addresses/model.ts";
import { neighborSchema } from "../../src/inventory/neighbors/model.ts";
import { portSchema } from "../../src/inventory/ports/model.ts";
import { serviceSchema } from "../../src/inventory/services/model.ts";
import { subnetSchema } from "../../src/inventory/subnets/model.ts";
import { openApi } from "./api.ts";
import { database } from "./database.ts";
import { mintOrganization, type Organization } from "./organization.ts";

/** The schemas of the inventory, by the names of their collections in paths. */
export const inventorySchemas = {
  subnets: subnetSchema,
  // Only lists with include_children=false lack them.
  hosts: hostSchema.required({
    ip_addresses: true,
    ports: true,
    interfaces: true,
    services: true,
  }),
  "ip-addresses": ipAddressSchema,
  ports: portSchema,
  interfaces: interfaceSchema,
  neighbors: neighborSchema,
  services: serviceSchema,
  bindings: bindingSchema,
};

export type InventoryCollection = keyof typeof inventorySchemas;
type RecordOf<Name extends InventoryCollection> = z.output<(typeof inventorySchemas)[Name]>;

/** The names of the eight collections with history. */
export const inventoryCollections = [
  "subnets",
  "hosts",
  "ip-addresses",
  "ports",
  "interfaces",
  "neighbors",
  "services",
  "bindings",
] as const satisfies readonly InventoryCollection[];

/** Creates a network without hosts. Returns its id. */
export async function mintEmptyNetwork(organization_id: string): Promise<string> {
  const id = crypto.randomUUID();
  await database.insert(networkTable).values({ id, organization_id, name: "Empty" });
  return id;
}

/**
 * An organization with an empty network, and functions that send requests about its inventory as a
 * Member.
 * @param variables override the configuration
 * @param given an existing organization, whose first network is used
 */
export async function openInventory(variables: Record<string, unknown> = {}, given?: Organization) {
  const organization = given ?? (await mintOrganization());
  const network_id = given?.networks[0].id ?? (await mintEmptyNetwork(organization.id));
  const api = openApi(variables);
  const send = (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ) => api.send(method, `/api/v1/${path}`, { key: organization.keys.member, json, headers });

  /** The record in a successful response with this status. */
  const parse = <Name extends InventoryCollection>(
    name: Name,
    answer: { status: number; body: unknown },
    status: number,
  ): RecordOf<Name> => {
    expect(answer).toMatchObject({ status, body: { success: true } });
    const { data } = answer.body as { data: unknown };
    return inventorySchemas[name].parse(data) as RecordOf<Name>;
  };

  return {
    api,
    organization,
    network_id,
    send,
    create: async <Name extends InventoryCollection>(name: Name, json: object) =>
      parse(
        name,
        await send(
          "POST",
          name,
          name === "hosts" || name === "subnets" ? { network_id, ...json } : json,
        ),
        201,
      ),
    read: async <Name extends InventoryCollection>(name: Name, id: string) =>
      parse(name, await send("GET", `${name}/${id}`), 200),
    replace: async <Name extends InventoryCollection>(name: Name, id: string, json: object) =>
      parse(
        name,
        await send(
          "PUT",
          `${name}/${id}`,
          name === "hosts" || name === "subnets" ? { network_id, ...json } : json,
        ),
        200,
      ),
    remove: async (name: InventoryCollection, id: string) => {
      expect(await send("DELETE", `${name}/${id}`)).toMatchObject({ status: 200 });
    },
    /** The records on a page of the network's list. */
    list: async <Name extends InventoryCollection>(
      name: Name,
      query: Record<string, string> = {},
    ): Promise<RecordOf<Name>[]> => {
      const parameters = new URLSearchParams({ network_id, ...query });
      const answer = await send("GET", `${name}?${parameters}`);
      expect(answer).toMatchObject({ status: 200 });
      const { data, meta } = answer.body as {
        data: unknown[];
        meta: { pagination: { total_count: number } };
      };
      const records = data.map((one) => inventorySchemas[name].parse(one) as RecordOf<Name>);
      if (query["limit"] === undefined) {
        expect(meta.pagination.total_count).toBe(records.length);
      }
      return records;
    },
  };
}

export type Inventory = Awaited<ReturnType<typeof openInventory>>;

/** Adds milliseconds to a timestamp. */
export const shifted = (timestamp: string, milliseconds: number): string =>
  new Date(Date.parse(timestamp) + milliseconds).toISOString();
