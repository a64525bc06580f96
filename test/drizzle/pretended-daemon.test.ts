import { beforeEach, expect, it } from "vitest";
import { type DaemonResponse, PretendedDaemon } from "../../drizzle/demo/pretended-daemon.ts";
import { listeningNetwork } from "../../drizzle/demo/pretended-network.ts";
import { convert } from "../helpers/reports.ts";

const network_id = crypto.randomUUID();
const session_id = crypto.randomUUID();
const work = {
  session_id,
  discovery_id: session_id,
  discovery_type: { type: "Unified", host_id: crypto.randomUUID(), subnet_ids: null },
  credential_mappings: [],
};
const stopped = new Set<string>();
const nothingRefused = { hosts: [], subnets: [] };
let daemon: PretendedDaemon;

beforeEach(() => {
  stopped.clear();
  daemon = new PretendedDaemon({
    name: "attic",
    network_id,
    network: () => listeningNetwork("attic", stopped),
  });
});

const dataOf = (response: DaemonResponse) => Object("data" in response ? response.data : null);
const post = (path: string, body: unknown) => daemon.respond(`POST ${path}`, body);
/** Polls, and converts the entities as the poller does. */
function poll() {
  const { progress, entities } = dataOf(daemon.respond("GET poll", undefined));
  return { progress, ...convert(network_id, entities) };
}
/** Confirms the entities from a poll. Returns the ids under which they are now stored. */
function confirm({ hosts, subnets }: ReturnType<typeof poll>): string[] {
  const pairs = (entities: { pending: { id: string } | null }[]) =>
    entities.flatMap(({ pending }): [string, { id: string }][] =>
      pending === null ? [] : [[pending.id, { id: crypto.randomUUID() }]],
    );
  const body = { hosts: pairs(hosts), subnets: pairs(subnets) };
  expect(post("discovery/entities-created", body)).toMatchObject({ status: 200 });
  return [...body.subnets, ...body.hosts].map(([, { id }]) => id);
}

it("reports hosts once its subnets are confirmed, repeats each until it is confirmed, and reports the scan's completion once", () => {
  expect(poll()).toMatchObject({ progress: null, hosts: [], subnets: [], refused: nothingRefused });
  expect(post("discovery/initiate", work)).toMatchObject({ status: 200, data: { session_id } });
  for (let times = 0; times < 3; times++) {
    expect(poll()).toMatchObject({
      progress: null,
      hosts: [],
      subnets: [{ cidr: "192.168.77.0/24" }],
      refused: nothingRefused,
    });
  }
  const stored = confirm(poll());
  for (let times = 0; times < 3; times++) {
    const { progress, hosts, subnets, refused } = poll();
    expect([subnets, refused, hosts.length]).toEqual([[], nothingRefused, 2]);
    expect(progress).toMatchObject({ session_id, phase: "Scanning", progress: 50 });
  }
  stored.push(...confirm(poll()));
  expect(poll()).toMatchObject({
    progress: { phase: "Complete", progress: 100, hosts_discovered: 2 },
    hosts: [],
  });
  expect(poll()).toMatchObject({ progress: null });

  // The next scan uses the stored ids.
  post("discovery/initiate", work);
  expect(poll().subnets.map(({ pending }) => pending?.id)).toEqual(stored.slice(0, 1));
  const [subnet] = stored;
  post("discovery/entities-created", { hosts: [], subnets: [[subnet, { id: subnet }]] });
  expect(poll().hosts.map(({ pending }) => pending.id)).toEqual(stored.slice(1));
});

it("reports a stopped service's host without the service's port", () => {
  stopped.add("MediaMTX");
  post("discovery/initiate", work);
  confirm(poll());
  expect(poll().hosts).toMatchObject([
    { services: [{ name: "WeeWX" }, { name: "Telegraf" }] },
    { name: "greenhouse-camera", ports: [], services: [] },
  ]);
});

it("scans only the requested subnets", () => {
  const discovery_type = { ...work.discovery_type, subnet_ids: [crypto.randomUUID()] };
  post("discovery/initiate", { ...work, discovery_type });
  confirm(poll());
  expect(poll().hosts).toEqual([]);
});

it("runs one scan at a time, and runs it until it is cancelled", () => {
  expect(post("discovery/cancel", session_id)).toMatchObject({ status: 409 });
  post("discovery/initiate", work);
  expect(post("discovery/initiate", work)).toMatchObject({ status: 409 });
  expect(post("discovery/cancel", session_id)).toMatchObject({ status: 200 });
  expect(post("discovery/initiate", work)).toMatchObject({ status: 200 });
});

it("rejects unknown requests, and never reports credentials", () => {
  expect(post("discovery/initiate", undefined)).toMatchObject({ status: 422 });
  expect(daemon.respond("GET discovery", undefined)).toMatchObject({ status: 404 });
  post("discovery/initiate", { ...work, credential_mappings: ["canary"] });
  confirm(poll());
  expect(JSON.stringify(poll())).not.toContain("canary");
});
