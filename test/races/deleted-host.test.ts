import { describe, expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

/** Children of a host, by collection. */
const children = {
  ports: { number: 22, protocol: "Tcp" },
  services: { name: "SSH" },
  "ip-addresses": { ip_address: "10.0.0.1" },
};

describe("creating a child of a host that is being deleted", () => {
  test.each(Object.entries(children))(
    "returns 400 for a child in %s",
    async (collection, child) => {
      const { create, send } = await openInventory();
      const { id } = await create("hosts", { name: "going" });
      const deletion = sql.transaction([
        sql`delete from hosts where id = ${id} and valid_to is null`,
        // Long enough for the request to see the host, and then to wait for this deletion.
        sql`select pg_sleep(1)`,
      ]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const [answer] = await Promise.all([
        send("POST", collection, { host_id: id, ...child }),
        deletion,
      ]);
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: "entity_reference_invalid",
          params: { entity: "Host", field: "body.host_id" },
        },
      });
    },
  );
});
