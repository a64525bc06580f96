import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import type { Organization } from "../../../helpers/organization.ts";
import { raiseScanner } from "../../../helpers/protocol.ts";
import { replay } from "../../../helpers/recorded-scans.ts";
import devices from "./recorded-devices.json" with { type: "json" };
import listeners from "./recorded-scan.json" with { type: "json" };

const kinds = {
  hosts: "name",
  subnets: "cidr::text",
  ip_addresses: "host(address)",
  ports: "concat(number, '/', protocol)",
  services: "name",
  bindings: "live_id::text",
};

/** Returns all versions of an organization's records, each with its name and validity period. */
async function versionsOf({ id }: Organization): Promise<string[]> {
  const selections = Object.entries(kinds).map(
    ([table, name]) =>
      `select concat_ws(' ', '${table}', ${name}, valid_from, 'to', valid_to) as version
        from ${table} where organization_id = $1`,
  );
  const rows = await sql.query(`${selections.join(" union all ")} order by 1`, [id]);
  return rows.map(({ version }) => String(version));
}

test.each([
  ["two listeners", listeners],
  ["a Docker host and an SNMP agent", devices.daemon1],
])("scans of an unchanged network with %s do not start or end any version", async (_, polls) => {
  const scanner = await raiseScanner();
  await replay(scanner, polls);
  const known = await versionsOf(scanner.organization);
  for (let scans = 0; scans < 3; scans++) {
    await replay(scanner, polls);
    expect(await versionsOf(scanner.organization)).toEqual(known);
  }
});

test("two daemons that take turns scanning the same network do not start or end any version", async () => {
  const one = await raiseScanner();
  const other = await raiseScanner({}, one.organization);
  await replay(one, devices.daemon1);
  await replay(other, devices.daemon2);
  // Each daemon may have seen the other daemon's host with fewer details.
  await replay(one, devices.daemon1);
  const known = await versionsOf(one.organization);
  for (let scans = 0; scans < 2; scans++) {
    await replay(other, devices.daemon2);
    await replay(one, devices.daemon1);
    expect(await versionsOf(one.organization)).toEqual(known);
  }
});
