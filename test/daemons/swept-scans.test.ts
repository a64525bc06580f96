import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { mintDaemon } from "../helpers/organization.ts";
import { raiseScanner, wireHost } from "../helpers/protocol.ts";
import { bound, isSettled, scan } from "../helpers/scans.ts";
import { mintSession } from "../helpers/sessions.ts";

test("bindings that were seen before the first scan end as well", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scanner.report({ hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])] });
  await scanner.visit();
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
});

test("a binding ends though the scan that saw it last was swept", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const first = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])],
  });
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`update discovery_sessions set finished_at = now() - interval '91 days' where id = ${first}`,
  ]);
  await sql`select app.sweep_discovery_sessions(1000)`;
  expect(await sql`select from discovery_sessions where id = ${first}`).toEqual([]);
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
});

test("what another daemon saw stays, also when its scans were swept", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization } = scanner;
  const other = await mintDaemon(organization.id, networkId);
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])] });
  const swept = crypto.randomUUID();
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`update bindings set last_discovery_id = ${swept}
      where organization_id = ${scanner.organization.id} and last_discovery_id is not null`,
  ]);
  await mintSession(organization.id, networkId, other, {
    id: swept,
    phase: "Complete",
    started_at: "2020-01-01T00:00:00.000Z",
    finished_at: "2020-01-01T00:00:00.000Z",
  });
  await sql`select app.sweep_discovery_sessions(1000)`;
  const session = await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3")] });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80, 8080] });
});

test("a swept scan is remembered if it began, and as long as there is its daemon", async () => {
  const { organization, networkId } = await raiseScanner();
  const daemon = await mintDaemon(organization.id, networkId);
  const long_ago = "2020-01-01T00:00:00.000Z";
  const [began] = await Promise.all(
    [long_ago, null].map((started_at) =>
      mintSession(organization.id, networkId, daemon, {
        phase: "Cancelled",
        started_at,
        finished_at: long_ago,
      }),
    ),
  );
  await sql`select app.sweep_discovery_sessions(1000)`;
  const remembered = () => sql`select id from app.swept_scans where daemon_id = ${daemon}`;
  expect(await sql`select from discovery_sessions where daemon_id = ${daemon}`).toEqual([]);
  expect(await remembered()).toEqual([{ id: began }]);
  await sql`delete from daemons where id = ${daemon}`;
  expect(await remembered()).toEqual([]);
});
