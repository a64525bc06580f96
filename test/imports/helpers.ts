import { expect } from "vitest";
import type * as z from "zod";
import type { importBody } from "../../src/imports/input.ts";
import { importResult } from "../../src/imports/model.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";

export type Sent = z.input<typeof importBody>;
export type SentHost = Sent["hosts"][number];

/** Creates an empty network, and returns functions that import into it as a Member. */
export async function openImports() {
  const inventory = await openInventory();
  const post = (body: unknown, query = "") =>
    inventory.send("POST", `networks/${inventory.network_id}/imports${query}`, body);
  /** Imports hosts, and returns the result. */
  const take = async (
    hosts: readonly unknown[],
    { query = "", ...rest }: Partial<Omit<Sent, "hosts">> & { query?: string } = {},
  ) => {
    const answer = await post({ ...rest, hosts }, query);
    expect(answer).toMatchObject({ status: 200 });
    return importResult.parse((answer.body as { data: unknown }).data);
  };
  return { ...inventory, post, take };
}

export type Imports = Awaited<ReturnType<typeof openImports>>;

/** A host with one address. */
export const at = (ip_address: string, more: Partial<SentHost> & Record<string, unknown> = {}) => ({
  addresses: [{ ip_address }],
  ...more,
});

/** TCP ports, each with a service of the given name. */
export const open = (ports: Readonly<Record<number, string>>) =>
  Object.entries(ports).map(([number, name]) => ({
    number: Number(number),
    protocol: "Tcp" as const,
    service: { name },
  }));

/** Every TCP port. */
export const everyPort = [{ protocol: "Tcp" as const, from: 1, to: 65_535 }];

/** A network's current hosts with their children, and its current bindings. */
export const inventoryOf = async ({ list }: Pick<Inventory, "list">) => ({
  hosts: await list("hosts"),
  bindings: await list("bindings"),
});
