import { expect, test } from "vitest";
import * as z from "zod";
import { sql } from "../helpers/database.ts";
import { answered, raiseScanner } from "../helpers/protocol.ts";
import { mintSession, sessionRow } from "../helpers/sessions.ts";
import recorded from "./recorded-scan.json" with { type: "json" };

/** What the recording calls the network, the daemon, its scan and the host that it lives on. */
const names = {
  network: "11111111-1111-4111-8111-111111111111",
  daemon: "22222222-2222-4222-8222-222222222222",
  session: "33333333-3333-4333-8333-333333333333",
  host: "55555555-5555-4555-8555-555555555555",
};

const hosts = z.array(z.object({ name: z.string(), ports: z.array(z.number()) }));

test("a recorded scan of a stock daemon becomes hosts with bindings, and a complete session", async () => {
  const scanner = await raiseScanner();
  const session = await mintSession(scanner.organization.id, scanner.networkId, scanner.id);
  await scanner.visit();
  for (const poll of recorded) {
    const text = JSON.stringify(poll)
      .replaceAll(names.network, scanner.networkId)
      .replaceAll(names.daemon, scanner.id)
      .replaceAll(names.session, session)
      .replaceAll(names.host, scanner.id);
    await scanner.behave({ poll: answered(JSON.parse(text)) });
    await scanner.visit();
  }
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
  ).toEqual([{ cidr: "10.77.0.0/29" }, { cidr: "127.0.0.0/8" }]);
  // Everything was confirmed, and nothing cancelled.
  expect(await scanner.got("discovery/cancel")).toEqual([]);
  expect((await scanner.confirmed()).hosts.length).toBeGreaterThan(0);
});
