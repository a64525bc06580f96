import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { subnets, userApiKeys } from "../../src/database/tables/index.ts";
import { database } from "./database.ts";
import { mintNetwork, mintOrganization, mintSubnet } from "./organization.ts";
import { changingNothing } from "./rows.ts";

let organization: Awaited<ReturnType<typeof mintOrganization>>;
let network: string;
let subnet: string;

beforeAll(async () => {
  organization = await mintOrganization();
  ({ id: network } = await mintNetwork(organization.id));
  subnet = await mintSubnet(organization.id, network);
});

test.each<[string, () => Promise<unknown>]>([
  ["an insert", () => mintSubnet(organization.id, network)],
  [
    "an update",
    async () => database.update(subnets).set({ name: "changed" }).where(eq(subnets.id, subnet)),
  ],
  ["a delete", async () => database.delete(subnets).where(eq(subnets.id, subnet))],
])("a test that expects no change fails after %s", async (_, write) => {
  await expect(changingNothing(organization.id, write)).rejects.toThrow("to deeply equal");
});

test("a test that expects no change permits the last use of a key", async () => {
  const use = () =>
    database
      .update(userApiKeys)
      .set({ last_used_at: new Date().toISOString() })
      .where(eq(userApiKeys.organization_id, organization.id));
  await changingNothing(organization.id, use);
  await expect(changingNothing(organization.id, use, [])).rejects.toThrow("to deeply equal");
});
