import { sql as drizzleSql } from "drizzle-orm";
import { expect, test } from "vitest";
import { bytesOfRecord, isRecord, recordOf } from "../../src/database/collection.ts";
import { dialect } from "../../src/database/dialect.ts";
import { hostResource } from "../../src/inventory/hosts/model.ts";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

test("the measured size of a host with children is about the size of its JSON, and never less", async () => {
  const { create } = await openInventory();
  const ports = Array.from({ length: 100 }, (_, index) => ({
    number: index + 1,
    protocol: "Tcp",
  }));
  const host = await create("hosts", { name: "Switch", ports });
  const { sql: query, params } = dialect.sqlToQuery(drizzleSql`
    select ${bytesOfRecord(hostResource.columns)} as bytes
    from ${recordOf(hostResource, isRecord(hostResource, host.id))}`);
  const [row] = await sql.query(query, params);
  const json = JSON.stringify(host).length;
  expect(Number(row?.["bytes"])).toBeGreaterThanOrEqual(json);
  expect(Number(row?.["bytes"])).toBeLessThan(1.5 * json);
});
