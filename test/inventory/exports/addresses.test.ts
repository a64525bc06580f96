import { expect, test } from "vitest";
import { reachable } from "../../../src/inventory/exports/addresses.ts";
import { sql } from "../../helpers/database.ts";

test("excludes addresses that lead nowhere or back to the machine that reads the export", async () => {
  const own = ["127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "::1", "::", "fe80::1"];
  const mapped = ["::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::ffff:169.254.1.1"];
  const others = ["10.0.0.1", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "fd00::1"];
  const rows = await sql`
    select host(address::inet) as address
    from unnest(${[...own, ...mapped, ...others]}::text[]) as address`;
  expect(reachable(rows.map((row) => String(Object(row)["address"])))).toEqual(others);
});
