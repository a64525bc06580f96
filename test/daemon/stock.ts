/**
 * Tests the whole cycle with a stock discovery daemon. The service provisions it, contacts it and
 * requests a scan, and the hosts that the daemon finds appear with bindings. Then a listener stops,
 * and after the next scan its binding exists only in history.
 *
 * Needs root and iproute2, since the daemon runs in a network namespace. Also needs the folder
 * STOCK_DAEMON_FOLDER (by default ../shared/daemon), which contains the daemon and a script that
 * starts it in the namespace. Without that folder, the test is skipped. Takes about six minutes.
 *
 *   node --test test/daemon/stock.ts
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { freePort, startDevService } from "../drizzle/helpers/dev-service.ts";
import { root } from "../drizzle/helpers/npm.ts";

const folder = process.env["STOCK_DAEMON_FOLDER"] ?? join(root, "../shared/daemon");
const script = join(folder, "scan-in-a-namespace.sh");

/** The URL at which the script starts the daemon, and the addresses that the daemon can scan. */
const url = "http://10.78.0.2:60073";
const [web, other] = ["10.77.0.3", "10.77.0.4"];

const skip = !existsSync(script) && `there is no ${script}`;

/** The maximum time to wait for anything, including a scan. */
const patienceMs = 420_000;

async function eventually<Value>(what: string, look: () => Promise<Value | null>): Promise<Value> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const result = await look();
    if (result !== null) {
      return result;
    }
    assert(Date.now() < giveUpAt, `in vain: ${what}`);
    await sleep(1000);
  }
}

/** Stops the program that listens on a port in the daemon's namespace. */
function stopListener(port: number): void {
  const ids = execFileSync("ip", ["netns", "pids", "nia-target"], { encoding: "utf8" });
  for (const id of ids.split("\n").filter(Boolean)) {
    if (readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").includes(String(port))) {
      process.kill(Number(id));
      return;
    }
  }
  assert.fail(`nothing listens on port ${port}`);
}

test("a stock daemon is provisioned and scans, and a stopped service moves to history", {
  skip,
}, async (t) => {
  const data = await mkdtemp(join(tmpdir(), "stock-"));
  const service = await startDevService(data, await freePort());
  let daemon: ChildProcess | undefined;
  t.after(async () => {
    if (daemon?.exitCode === null) {
      daemon.kill("SIGTERM");
      await once(daemon, "exit");
    }
    service.interrupt();
    await service.ended;
    await rm(data, { recursive: true, force: true });
  });

  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.address}/api/v1/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${demo.keys.owner}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data, error } = Object(await response.json());
    assert(response.ok, `${method} ${path}: ${error}`);
    return data;
  };

  const network = await send("POST", "networks", { name: "Namespace" });
  await send("POST", "credentials", {
    name: "Of the namespace",
    organization_id: demo.organization.id,
    tags: [],
    assigned_network_ids: [network.id],
    host_assignments: [],
    credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "public" } },
  });
  const { daemon: record, daemon_api_key } = await send("POST", "daemons/provision", {
    name: "stock",
    network_id: network.id,
    url,
  });
  daemon = spawn(script, {
    stdio: "ignore",
    env: {
      ...process.env,
      DAEMON_KEY: daemon_api_key,
      NETWORK_ID: network.id,
      SECONDS_UP: String((2 * patienceMs) / 1000),
    },
  });
  t.diagnostic(
    `reached: version ${await eventually("the daemon is reached", async () => {
      const { version, is_unreachable } = await send("GET", `daemons/${record.id}`);
      if (is_unreachable) {
        await send("POST", `daemons/${record.id}/retry-connection`);
      }
      return version;
    })}`,
  );

  const scan = async () => {
    // Both scans are light: full scans take a long time, and a light scan does not end any records
    // that a full scan found.
    const session = await send("POST", `daemons/${record.id}/scan`, { is_full_scan: false });
    assert.equal(session.phase, "Queued");
    const phases = new Set<string>();
    const ended = await eventually("the scan ends", async () => {
      const now = await send("GET", `discovery/sessions/${session.id}`);
      phases.add(`${now.phase} ${now.progress}`);
      return now.finished_at === null ? null : now;
    });
    t.diagnostic(`scan: ${[...phases].join(", ")}`);
    assert.deepEqual([ended.phase, ended.error, ended.progress], ["Complete", null, 100]);
  };

  /** The ports on which each host has bindings, keyed by the host's addresses. */
  const bound = async (at?: string) => {
    const query = `network_id=${network.id}&limit=0${at === undefined ? "" : `&at=${at}`}`;
    const hosts: unknown[] = await send("GET", `hosts?${query}`);
    return Object.fromEntries(
      hosts.map((host) => {
        const { ip_addresses, ports, services } = Object(host);
        const bindings = services.flatMap(({ bindings }: { bindings: unknown[] }) => bindings);
        const numbers = bindings.map(
          (binding: unknown) =>
            ports.find(({ id }: { id: string }) => id === Object(binding).port_id)?.number,
        );
        const addresses = ip_addresses.map(({ ip_address }: { ip_address: string }) => ip_address);
        return [addresses.join(), numbers.sort()];
      }),
    );
  };

  await scan();
  const first = await bound();
  t.diagnostic(JSON.stringify(first));
  assert.deepEqual([first[web ?? ""], first[other ?? ""]], [[80], [8080]]);
  const { host_id } = await send("GET", `daemons/${record.id}`);
  assert.equal((await send("GET", `hosts/${host_id}`)).network_id, network.id);
  const before = new Date().toISOString();

  stopListener(8080);
  await scan();
  const second = await eventually("the binding has ended", async () => {
    const now = await bound();
    return now[other ?? ""]?.length === 0 ? now : null;
  });
  t.diagnostic(JSON.stringify(second));
  assert.deepEqual(second[web ?? ""], [80]);
  assert.deepEqual((await bound(before))[other ?? ""], [8080]);
});
