import { expect, test } from "vitest";
import * as z from "zod";
import { followChanges } from "../../../changes/helpers.ts";
import { sql } from "../../../helpers/database.ts";
import { mintCredential } from "../../../helpers/organization.ts";
import { raiseScanner, type Scanner } from "../../../helpers/protocol.ts";
import { replay } from "../../../helpers/recorded-scans.ts";
import { recordsIn } from "../../../helpers/records.ts";
import { assignCredential } from "../../../helpers/scans.ts";
import devices from "./recorded-devices.json" with { type: "json" };

const pollsSchema = z.array(
  z.looseObject({
    entities: z.looseObject({
      hosts: z.array(
        z.looseObject({
          ip_addresses: z.array(z.looseObject({ ip_address: z.string() })),
          ports: z.array(z.looseObject({ id: z.string(), number: z.int() })),
          services: z.array(
            z.looseObject({ bindings: z.array(z.looseObject({ port_id: z.string() })) }),
          ),
        }),
      ),
    }),
  }),
);
type Polls = z.output<typeof pollsSchema>;
type Host = Polls[number]["entities"]["hosts"][number];

/** A scan of a network with a Docker host, 10.91.0.4, and an SNMP agent, 10.91.0.5. */
const recorded = pollsSchema.parse(devices.daemon1);

/** Returns the recorded polls with each host edited, or removed if `edit` returns null. */
const edited = (polls: Polls, edit: (host: Host) => Host | null): Polls =>
  polls.map((poll) => ({
    ...poll,
    entities: { ...poll.entities, hosts: poll.entities.hosts.flatMap((host) => edit(host) ?? []) },
  }));

/** Removes the listeners on these ports. */
const without = (polls: Polls, ...numbers: number[]) =>
  edited(polls, (host) => {
    const ports = host.ports.filter(({ number }) => !numbers.includes(number));
    const open = new Set(ports.map(({ id }) => id));
    const services = host.services.flatMap((service) => {
      const bindings = service.bindings.filter(({ port_id }) => open.has(port_id));
      return bindings.length === 0 ? [] : [{ ...service, bindings }];
    });
    return { ...host, ports, services };
  });

const moved = (polls: Polls, from: number, to: number) =>
  edited(polls, (host) => ({
    ...host,
    ports: host.ports.map((port) => (port.number === from ? { ...port, number: to } : port)),
  }));

const open = (scanner: Scanner) => {
  const { poller, organization, networkId } = scanner;
  const get = (path: string) =>
    poller.send("GET", `/api/v1/${path}`, { key: organization.keys.viewer });
  let cursor: string | undefined;
  /** Returns the changes in the feed since the previous call. */
  const changes = async () => {
    const read = await followChanges(get, {
      network_id: networkId,
      ...(cursor === undefined ? {} : { cursor }),
    });
    cursor = read.cursor;
    return read.changes;
  };
  const live = async () =>
    recordsIn(await get(`bindings?network_id=${networkId}&limit=1000`)).map(({ id }) => id);
  return { changes, live };
};

const inWords = (changes: Awaited<ReturnType<ReturnType<typeof open>["changes"]>>) =>
  changes.map(({ change, entity, label }) => `${change} ${entity} ${label}`).sort();

test("the feed agrees with the lists across scans in which services stop, ports move, hosts vanish and credentials are deleted", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const give = async (settings: { type: string; [field: string]: unknown }) => {
    const id = await mintCredential(organization.id, { settings });
    await assignCredential(organization.id, id, { network_id: networkId });
    return id;
  };
  const community = { mode: "FilePath", path: "/run/community" };
  const snmp = await give({ type: "SnmpV2c", community });
  const docker = await give({ type: "DockerProxy", port: 2375 });
  const { changes, live } = open(scanner);
  const known = new Set(await live());
  await changes();
  /** Runs a full scan that consists of these polls. Returns the changes in the feed. */
  const scan = async (polls: Polls) => {
    await replay(scanner, polls, { is_full_scan: true });
    const seen = await changes();
    for (const { entity, entity_id, change } of seen) {
      if (entity === "Binding") {
        known[change === "deleted" ? "delete" : "add"](entity_id);
      }
    }
    expect([...known].sort()).toEqual((await live()).sort());
    return inWords(seen);
  };

  let polls = recorded;
  expect((await scan(polls)).length).toBeGreaterThan(20);
  // A service stops.
  polls = without(polls, 45_678);
  expect(await scan(polls)).toEqual(["deleted Binding Unclaimed Open Ports 45678/Tcp 10.91.0.4"]);
  // A port moves.
  polls = moved(polls, 1024, 9090);
  expect(await scan(polls)).toEqual([
    "created Binding Unclaimed Open Ports 9090/Tcp 10.91.0.4",
    "created Port 9090/Tcp",
    "deleted Binding Unclaimed Open Ports 1024/Tcp 10.91.0.4",
  ]);
  // An SNMP community is rotated and another service stops. The agent is found with the new
  // community.
  const rotated = { type: "SnmpV2c", community: { ...community, path: "/run/other" } };
  await sql`update credentials set settings = ${JSON.stringify(rotated)}::jsonb where id = ${snmp}`;
  polls = without(polls, 9090);
  expect(await scan(polls)).toEqual(["deleted Binding Unclaimed Open Ports 9090/Tcp 10.91.0.4"]);
  // Both credentials are deleted, so scans do not query the agent or the proxy. Of their ports,
  // 2375 and 199 are treated as closed.
  await sql`delete from credentials where id = any (${[snmp, docker]})`;
  polls = without(polls, 161, 199, 80, 8088, 2375);
  expect(await scan(polls)).toEqual([
    "deleted Binding Docker 2375/Tcp 10.91.0.4",
    "deleted Binding Unclaimed Open Ports 199/Tcp 10.91.0.5",
  ]);
  // A host vanishes.
  polls = edited(polls, (host) => (host.ip_addresses[0]?.ip_address === "10.91.0.4" ? null : host));
  expect(await scan(polls)).toEqual([]);
});
