import { expect, test } from "vitest";
import { recordConsole } from "../helpers/console.ts";
import { daemonRow } from "../helpers/daemons.ts";
import { sql } from "../helpers/database.ts";
import { raiseScanner, wireHost } from "../helpers/protocol.ts";

test("a report that exceeds an organization's daily limit on versions is deferred, and stored with a later poll", async () => {
  const scanner = await raiseScanner();
  const { organization } = scanner;
  const discovered = () => sql`select name from hosts
    where organization_id = ${organization.id} and source = 'Discovery' and valid_to is null`;
  await scanner.report({ hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  await sql`insert into app.version_counters (organization_id, hour, versions)
    values (${organization.id}, date_trunc('hour', now(), 'UTC'), 1000000)`;
  const logs = recordConsole();
  await scanner.visit();
  expect(await discovered()).toEqual([]);
  expect(await scanner.got("discovery/entities-created")).toEqual([]);
  expect(logs()).toContain('"error":"too_many_versions"');
  expect(await daemonRow(scanner.id)).toMatchObject({ consecutive_failures: 0, last_error: null });
  await sql`update app.version_counters set hour = hour - interval '24 hours'
    where organization_id = ${organization.id}`;
  await scanner.visit();
  expect(await discovered()).toEqual([{ name: "10.77.0.3" }]);
  expect((await scanner.confirmed()).hosts).toHaveLength(1);
});

test("an unchanged report is still confirmed once the daily limit on versions is reached", async () => {
  const scanner = await raiseScanner();
  const { organization } = scanner;
  await scanner.report({ hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  await scanner.visit();
  await sql`insert into app.version_counters (organization_id, hour, versions)
    values (${organization.id}, date_trunc('hour', now(), 'UTC'), 1000000)`;
  await scanner.report({ hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  await scanner.visit();
  expect(await scanner.got("discovery/entities-created")).toHaveLength(2);
});
