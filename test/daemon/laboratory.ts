/**
 * Stock daemons scan a network in which nothing changes. There are light and full scans;
 * credentials are removed and restored; one daemon is killed, and a second daemon scans at the same
 * time as the first. History must not contain any changes. Prints the changes recorded in history
 * after each scan, and a table at the end.
 *
 * Needs root, iproute2, util-linux, xz, snmpd and the stock daemon's folder (see `stock.ts`).
 * Takes about forty minutes, so it only runs on request:
 *
 *   npm run test:daemon:long
 *
 * LABORATORY_RECORD names a file to which all messages between the daemons and the service are
 * written.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { freePort, startDevService } from "../drizzle/helpers/dev-service.ts";
import { root } from "../drizzle/helpers/npm.ts";
import {
  addresses,
  type DaemonPlace,
  daemonUrls,
  dockerPorts,
  raiseLaboratory,
} from "./laboratory/network.ts";
import { type Observer, observe } from "./laboratory/observer.ts";
import { type Event, historyOf } from "./laboratory/versions.ts";

const folder = process.env["STOCK_DAEMON_FOLDER"] ?? join(root, "../shared/daemon");
const packed = join(folder, "scanopy-daemon-0.16.2.xz");
const skip = !existsSync(packed) && `there is no ${packed}`;

/** The maximum time to wait for anything, including a scan. */
const patienceMs = 1_200_000;

/** The scan progress, in percent, at which the daemon is killed. */
const killedAt = 10;

/** Open ports, with their addresses, that the first scan must find. */
const listening = [
  ...[dockerPorts.proxy, dockerPorts.published, ...dockerPorts.high].map(
    (port) => [addresses.docker, `${port}/Tcp`] as const,
  ),
  [addresses.agent, "161/Udp"] as const,
];

type CredentialName = "docker" | "snmp";

/** An optional preparation, and the scans that then run at the same time. */
interface Step {
  title: string;
  before?: () => Promise<void>;
  scans: { by: DaemonPlace; isFull: boolean | null; isKilled?: boolean }[];
  /**
   * The records about which these scans may report something new: all records, or only the new
   * daemon's host.
   */
  learns?: "everything" | "daemon2";
}

interface Line {
  step: number;
  title: string;
  requested: string;
  credentials: string;
  ended: string;
  events: Event[];
  faults: Event[];
}

async function eventually<Value>(what: string, look: () => Promise<Value | null>): Promise<Value> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const result = await look();
    if (result !== null) {
      return result;
    }
    assert(Date.now() < giveUpAt, `in vain: ${what}`);
    await sleep(500);
  }
}

const isAddress = (name: unknown) => typeof name === "string" && /^[\d.]+$|:.*:/.test(name);

/** True if an event only adds details and does not contradict earlier ones. */
const isLearned = ({ what, changes }: Event): boolean =>
  what === "created" ||
  (what === "changed" &&
    Object.keys(changes).length > 0 &&
    Object.entries(changes).every(
      ([column, { from, to }]) =>
        (from === null && to !== null) ||
        (column === "name" && isAddress(from) && to !== null && !isAddress(to)),
    ));

const inWords = ({ kind, label, what, changes, id }: Event): string => {
  const details = Object.entries(changes)
    .map(([column, { from, to }]) => `${column} ${JSON.stringify(from)} → ${JSON.stringify(to)}`)
    .join(", ");
  return `${kind} ${label} (${id.slice(0, 8)}) ${what}${what === "changed" ? `: ${details || "no visible column"}` : ""}`;
};

/** The options of the last scan that the service requested, as the daemon received them. */
function requestOf(observer: Observer): { isFull: boolean; credentials: string[] } {
  const request = Object(
    observer.exchanges.findLast(({ path }) => path === "/api/discovery/initiate")?.request,
  );
  const mappings: unknown[] = request.credential_mappings ?? [];
  return {
    isFull: request.discovery_type?.scan_settings?.is_full_scan === true,
    credentials: mappings
      .map((mapping) => {
        const { default_credential, ip_overrides } = Object(mapping);
        return default_credential === null
          ? `${ip_overrides[0]?.credential.type} for ${ip_overrides.map(({ ip }: { ip: string }) => ip)}`
          : `${default_credential.type} for all`;
      })
      .sort(),
  };
}

test("scans of an unchanged network do not start new versions", {
  skip,
  timeout: 7_200_000,
}, async (t) => {
  const data = await mkdtemp(join(tmpdir(), "laboratory-"));
  const program = join(data, "daemon");
  await writeFile(program, execFileSync("xz", ["-dc", packed], { maxBuffer: 2 ** 26 }));
  const service = await startDevService(data, await freePort());
  const laboratory = await raiseLaboratory(program, data);
  const observers = {
    daemon1: await observe(daemonUrls.daemon1),
    daemon2: await observe(daemonUrls.daemon2),
  };
  t.after(async () => {
    const record = process.env["LABORATORY_RECORD"];
    if (record !== undefined) {
      const exchanges = {
        daemon1: observers.daemon1.exchanges,
        daemon2: observers.daemon2.exchanges,
      };
      await writeFile(record, JSON.stringify(exchanges, null, 1));
    }
    observers.daemon1.close();
    observers.daemon2.close();
    await laboratory.close();
    service.interrupt();
    await service.ended;
    await rm(data, { recursive: true, force: true });
  });

  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.address}/api/v1/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${demo.keys.owner}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...Object(await response.json()) };
  };
  const send = async (...request: Parameters<typeof ask>) => {
    const { status, data, error } = await ask(...request);
    assert(status < 300, `${request.slice(0, 2).join(" ")}: ${status} ${error}`);
    return data;
  };

  const network = await send("POST", "networks", { name: "Laboratory" });
  const types = {
    docker: { type: "DockerProxy", port: 2375 },
    snmp: { type: "SnmpV2c", community: { mode: "Inline", value: "public" } },
  };
  const credentials = new Map<CredentialName, string>();
  const give = async (name: CredentialName, address?: string) => {
    const hosts =
      address === undefined ? [] : await send("GET", `hosts?network_id=${network.id}&limit=0`);
    const host = hosts.find(({ ip_addresses }: { ip_addresses: { ip_address: string }[] }) =>
      ip_addresses.some(({ ip_address }) => ip_address === address),
    );
    const { id } = await send("POST", "credentials", {
      name: `${name} of the laboratory`,
      organization_id: demo.organization.id,
      tags: [],
      assigned_network_ids: host ? [] : [network.id],
      host_assignments: host ? [{ host_id: host.id, ip_address_ids: null }] : [],
      credential_type: types[name],
    });
    credentials.set(name, id);
  };
  const take = async (name: CredentialName) => {
    await send("DELETE", `credentials/${credentials.get(name)}`);
    credentials.delete(name);
  };

  const daemons = new Map<DaemonPlace, { id: string; key: string }>();
  const start = async (place: DaemonPlace) => {
    const { key = "" } = daemons.get(place) ?? {};
    await laboratory.startDaemon(place, { key, networkId: network.id });
  };
  const provision = async (place: DaemonPlace) => {
    const { daemon, daemon_api_key } = await send("POST", "daemons/provision", {
      name: place,
      network_id: network.id,
      url: observers[place].url,
    });
    daemons.set(place, { id: daemon.id, key: daemon_api_key });
    await start(place);
    await eventually(`${place} is reached`, async () => {
      const { version, is_unreachable } = await send("GET", `daemons/${daemon.id}`);
      if (is_unreachable) {
        await send("POST", `daemons/${daemon.id}/retry-connection`);
      }
      return version;
    });
  };

  const scan = async ({ by, isFull, isKilled = false }: Step["scans"][number]) => {
    const { id = "" } = daemons.get(by) ?? {};
    const session = await send(
      "POST",
      `daemons/${id}/scan`,
      isFull === null ? {} : { is_full_scan: isFull },
    );
    if (isKilled) {
      await eventually("the scan is under way", async () => {
        const { progress } = await send("GET", `discovery/sessions/${session.id}`);
        return progress >= killedAt ? true : null;
      });
      await laboratory.killDaemon(by);
      await start(by);
    }
    const ended = await eventually("the scan ends", async () => {
      const now = await send("GET", `discovery/sessions/${session.id}`);
      return now.finished_at === null ? null : now;
    });
    // Bindings that the scan did not find again are ended during one of the next visits.
    await sleep(15_000);
    const { isFull: wasFull, credentials } = requestOf(observers[by]);
    assert.equal(ended.is_full_scan, wasFull, `${by}: what the session says it was`);
    return {
      requested: `${by} ${wasFull ? "full" : "light"}`,
      credentials: credentials.join(", ") || "none",
      ended: `${ended.phase}${ended.error === null ? "" : ` (${ended.error})`}`,
    };
  };

  await give("docker");
  await give("snmp");
  await provision("daemon1");
  const steps: Step[] = [
    {
      title: "the first scan: full, with all credentials",
      scans: [{ by: "daemon1", isFull: true }],
      learns: "everything",
    },
    { title: "the same, light", scans: [{ by: "daemon1", isFull: false }] },
    {
      title: "without the Docker credential, in the mode that the service chooses",
      before: () => take("docker"),
      scans: [{ by: "daemon1", isFull: null }],
    },
    {
      title: "full, without the Docker credential",
      scans: [{ by: "daemon1", isFull: true }],
    },
    {
      title: "the Docker credential restored, for its host only; SNMP removed",
      before: async () => {
        await give("docker", addresses.docker);
        await take("snmp");
      },
      scans: [{ by: "daemon1", isFull: false }],
    },
    {
      title: "killed midway, without any credential",
      before: () => take("docker"),
      scans: [{ by: "daemon1", isFull: true, isKilled: true }],
    },
    {
      title: "the first scan after that, light",
      scans: [{ by: "daemon1", isFull: false }],
    },
    {
      title: "both credentials restored; a second daemon beside the first, both at once",
      before: async () => {
        await give("docker");
        await give("snmp", addresses.agent);
        await provision("daemon2");
      },
      scans: [
        { by: "daemon1", isFull: false },
        { by: "daemon2", isFull: true },
      ],
      learns: "daemon2",
    },
    { title: "the second daemon, light", scans: [{ by: "daemon2", isFull: false }] },
    {
      title: "both at once, in the mode that the service chooses",
      scans: [
        { by: "daemon1", isFull: null },
        { by: "daemon2", isFull: null },
      ],
    },
    { title: "full, with all credentials", scans: [{ by: "daemon1", isFull: true }] },
  ];

  const lines: Line[] = [];
  const known = new Set<string>();
  const nameOf = ({ kind, id, at, what }: Event) => [kind, id, at, what].join();
  for (const [index, { title, before, scans, learns }] of steps.entries()) {
    await before?.();
    const results = await Promise.all(scans.map(scan));
    const history = await historyOf(data, network.id);
    const events = history.filter((event) => !known.has(nameOf(event)));
    for (const event of events) {
      known.add(nameOf(event));
    }
    if (learns === "everything") {
      // The later steps prove nothing about a port that the first scan did not find.
      const labels = events.filter(({ kind }) => kind === "bindings").map(({ label }) => label);
      for (const [address, port] of listening) {
        assert(
          labels.some((label) => label.endsWith(` ${port} ${address}`)),
          `${port} of ${address} is not among ${labels.join(", ")}`,
        );
      }
    }
    const { id = "" } = learns === "daemon2" ? (daemons.get(learns) ?? {}) : {};
    const newHost = id && (await send("GET", `daemons/${id}`)).host_id;
    const isNews = (event: Event) =>
      isLearned(event) && (learns === "everything" || (newHost !== "" && event.host === newHost));
    const line = {
      step: index + 1,
      title,
      requested: results.map(({ requested }) => requested).join(" + "),
      credentials: [...new Set(results.map(({ credentials }) => credentials))].join(" / "),
      ended: results.map(({ ended }) => ended).join(" + "),
      events,
      faults: events.filter((event) => !isNews(event)),
    };
    lines.push(line);
    console.log(`${line.step}. ${title} [${line.requested}; ${line.credentials}; ${line.ended}]`);
    for (const event of events) {
      const verdict = line.faults.includes(event) ? "NOT A CHANGE" : "learned";
      console.log(`   ${event.at} ${inWords(event)}: ${verdict}`);
    }
  }
  console.log(
    "| scan | asked for | credentials | ended | versions learned | changes that never happened |",
  );
  console.log("|---|---|---|---|---|---|");
  for (const { step, title, requested, credentials, ended, events, faults } of lines) {
    console.log(
      `| ${step}. ${title} | ${requested} | ${credentials} | ${ended} | ${events.length - faults.length} | ${faults.length} |`,
    );
  }
  assert.deepEqual(
    lines.flatMap(({ step, faults }) => faults.map((event) => `${step}. ${inWords(event)}`)),
    [],
  );
});
