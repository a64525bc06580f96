import { describe, expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

/** Parts of a host, by collection. */
const parts = {
  ports: { number: 22, protocol: "Tcp" },
  services: { name: "SSH" },
  "ip-addresses": { ip_address: "10.0.0.1" },
};

describe("a host that is deleted while it gets a part", () => {
  test.each(Object.entries(parts))("is no host for %s: 400", async (collection, part) => {
    const { create, send } = await openInventory();
    const { id } = await create("hosts", { name: "going" });
    const deletion = sql.transaction([
      sql`delete from hosts where id = ${id} and valid_to is null`,
      // Long enough for the request to find the host still there, and to wait for this.
      sql`select pg_sleep(1)`,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [answer] = await Promise.all([
      send("POST", collection, { host_id: id, ...part }),
      deletion,
    ]);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "entity_reference_invalid", params: { entity: "Host", field: "body.host_id" } },
    });
  });
});
