import { expect, test } from "vitest";
import * as z from "zod";
import { sql } from "../../../helpers/database.ts";
import { raiseScanner } from "../../../helpers/protocol.ts";
import { replay } from "../../../helpers/recorded-scans.ts";
import { sessionRow } from "../../../helpers/sessions.ts";
import recorded from "./recorded-scan.json" with { type: "json" };

const hosts = z.array(z.object({ name: z.string(), ports: z.array(z.number()) }));

test("a scan recorded from a stock daemon results in hosts with bindings and a complete session", async () => {
  const scanner = await raiseScanner();
  const session = await replay(scanner, recorded);
  expect(await sessionRow(session)).toMatchObject({
    phase: "Complete",
    progress: 100,
    hosts_discovered: 2,
  });
  const rows = await sql`
    select host.name, array(
        select port.number from bindings as binding join ports as port
          on port.organization_id = binding.organization_id and port.id = binding.port_id
        where binding.organization_id = host.organization_id and binding.host_id = host.id
          and binding.valid_to is null and port.valid_to is null order by 1) as ports
    from hosts as host
    where host.organization_id = ${scanner.organization.id} and host.valid_to is null
      and host.last_discovery_id = ${session} order by host.name`;
  expect(hosts.parse(rows)).toEqual([
    { name: "10.77.0.3", ports: [80] },
    { name: "10.77.0.4", ports: [8080] },
    { name: "vm", ports: [60073] },
  ]);
  expect(
    await sql`select cidr::text from subnets where organization_id = ${scanner.organization.id} order by cidr`,
  ).toEqual([{ cidr: "10.77.0.0/29" }]);
  // Everything was confirmed, and the scan was not cancelled.
  expect(await scanner.got("discovery/cancel")).toEqual([]);
  expect((await scanner.confirmed()).hosts.length).toBeGreaterThan(0);
});
