import { once } from "node:events";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { type DevService, freePort, startDevService } from "./helpers/dev-service.ts";
import { makeFolder, type TestFolder } from "./helpers/folders.ts";
import { post } from "./helpers/local-databases.ts";
import { npmRun } from "./helpers/npm.ts";
import { stillRunning } from "./helpers/processes.ts";

let folder: TestFolder;
let service: DevService;
/** The configurations stored by the first start. */
let firstConfigurations: Record<string, { port: number; key: string }>;
const all = new Set<number>();

async function start(...options: string[]): Promise<void> {
  await startAt(await freePort(), options);
}
async function startAt(port: number, options: readonly string[] = []): Promise<void> {
  service = await startDevService(folder.path, port, options);
  for (const pid of await service.processes()) {
    all.add(pid);
  }
}
async function stop(): Promise<void> {
  service.interrupt();
  await service.ended;
}

beforeAll(async () => {
  folder = await makeFolder("empty");
  await start();
});
afterAll(async () => {
  for (const pid of await stillRunning([...all])) {
    process.kill(pid, "SIGKILL");
  }
  await folder.remove();
});

const [attic, workshop, cellar] = demo.daemons;
const ids = [attic, workshop, cellar].map((daemon) => daemon?.id ?? "");
const [atticId = "", workshopId = "", cellarId = ""] = ids;
const finishedScan = "/api/v1/discovery/sessions/2b7e5a30-8c4d-4f1e-9a6b-d5c0f3e81a27";

async function send(method: string, path: string, body?: object) {
  const response = await fetch(service.address + path, {
    method,
    headers: {
      Authorization: `Bearer ${demo.keys.owner}`,
      "Content-Type": "application/json",
    },
    body: body ? JSON.stringify(body) : null,
  });
  return { status: response.status, ...Object(await response.json()) };
}
const daemon = async (id: string) => (await send("GET", `/api/v1/daemons/${id}`)).data;

const configurationsFile = () => join(folder.path, "demo-daemons.json");
/** The stored configurations of the daemons, by name. */
const configurations = async () => Object(JSON.parse(await readFile(configurationsFile(), "utf8")));

/**
 * Returns the URL and the sealed token of each demo daemon, by id. Resealing a token changes its
 * text.
 */
async function sealedTokens(): Promise<Record<string, { url: string; sealed: string }>> {
  const running = JSON.parse(await readFile(join(folder.path, "running.json"), "utf8"));
  const query = `select id, url, sealed from daemons join daemon_secrets on daemon_id = id
    where id <> '${demo.absent_daemon.id}'`;
  const response = await post({ database: running }, JSON.stringify({ query, params: [] }));
  const { rows } = Object(await response.json());
  return Object.fromEntries(
    rows.map(([id, url, sealed]: [string, string, string]) => [id, { url, sealed }]),
  );
}

/** Contacts a daemon again, and waits for its next response. */
async function expectPolled(id: string): Promise<void> {
  const since = new Date().toISOString();
  expect((await send("POST", `/api/v1/daemons/${id}/retry-connection`)).status).toBe(200);
  await expect
    .poll(() => daemon(id), { timeout: 60_000, interval: 500 })
    .toSatisfy(({ last_seen, version }) => last_seen > since && version !== null);
}

/** Occupies a TCP port until the result is disposed of. */
async function occupy(port: number): Promise<AsyncDisposable> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Requests a scan of a daemon as soon as the service is ready. Returns its id. */
async function scanWhenReady(port: number, id: string): Promise<string> {
  const address = `http://localhost:${port}/api`;
  const answers = async (path: string, init?: RequestInit) =>
    fetch(address + path, init).catch(() => null);
  while (!(await answers("/health/ready"))?.ok) {
    await sleep(5);
  }
  const response = await answers(`/v1/daemons/${id}/scan`, {
    method: "POST",
    headers: { Authorization: `Bearer ${demo.keys.owner}`, "Content-Type": "application/json" },
    body: "{}",
  });
  return Object(await response?.json()).data.id;
}

describe("the demo daemons of npm run dev", () => {
  it("are provisioned at the first start, and their keys are stored in a file that only the user can read", async () => {
    const kept = await configurations();
    firstConfigurations = kept;
    expect(Object.keys(kept)).toEqual(["attic", "workshop", "cellar"]);
    expect((await stat(configurationsFile())).mode & 0o777).toBe(0o600);
    const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
    const tokens = await sealedTokens();
    expect(Object.keys(tokens).sort()).toEqual(ids.toSorted());
    for (const { id, name } of demo.daemons) {
      const { port, key } = kept[name];
      const { url, sealed } = tokens[id] ?? { url: "", sealed: "" };
      expect(url).toBe(`http://127.0.0.1:${port}/`);
      expect(key).toMatch(/^inv_d_[\w-]{43}$/);
      expect(await ring.open(sealed, tokenPlace(demo.organization.id, id, url))).toBe(key);
    }
  });

  it("are seeded with a history: two reachable, one unreachable, and a finished scan", async () => {
    const { data } = await send("GET", "/api/v1/daemons?order_by=name");
    expect(data).toMatchObject([
      { name: "attic", is_unreachable: false, last_error: null },
      { name: "boathouse", is_unreachable: true, url: demo.absent_daemon.url },
      {
        name: "cellar",
        is_unreachable: true,
        consecutive_failures: 5,
        next_poll_at: null,
        last_error: { code: "connection_refused" },
      },
      { name: "workshop", is_unreachable: false, last_error: null },
    ]);
    expect(new Set(data.map(({ created_at }: { created_at: string }) => created_at)).size).toBe(1);
    expect(await send("GET", finishedScan)).toMatchObject({
      data: { daemon_id: atticId, phase: "Complete" },
    });
  });

  it("accept only their own key", async () => {
    const { attic, workshop } = await configurations();
    const status = async (key: string) =>
      (
        await fetch(`http://127.0.0.1:${attic.port}/api/status`, {
          headers: { Authorization: `Bearer ${key}` },
        })
      ).status;
    expect([await status(attic.key), await status(workshop.key)]).toEqual([200, 401]);
    expect([await status("null"), await status("")]).toEqual([401, 401]);
  });

  it("are polled again after the next start, which does not provision any of them", async () => {
    const [kept, tokens] = [await configurations(), await sealedTokens()];
    await stop();
    await start();
    expect(await configurations()).toEqual(kept);
    expect(await sealedTokens()).toEqual(tokens);
    for (const id of ids) {
      await expectPolled(id);
    }
  });

  it("report that they cannot be started while another program uses their port", async () => {
    const { cellar } = await configurations();
    const command = (verb: string) =>
      npmRun("demo-daemon", [verb, "cellar"], { DATA_FOLDER: folder.path });
    expect(await command("stop")).toMatchObject({ status: 0 });
    {
      await using _ = await occupy(cellar.port);
      expect(await command("start")).toMatchObject({
        status: 1,
        stderr: "cellar did not start: HTTP status 409.\n",
      });
    }
    expect(await command("start")).toMatchObject({ status: 0 });
    await expectPolled(cellarId);
  });

  it("move to a free port if theirs is taken, and keep their settings, unless they were deleted", async () => {
    const { name, network_id, url } = await daemon(atticId);
    const { data: tags } = await send("GET", "/api/v1/tags?limit=1");
    const scan_schedule = { cron: "15 3 * * *", timezone: "Europe/Lisbon" };
    const settings = { network_id, tags: [tags[0].id], scan_schedule };
    const renamed = { ...settings, name: `${name} window`, url };
    expect(await send("PUT", `/api/v1/daemons/${atticId}`, renamed)).toMatchObject({ status: 200 });
    expect(await send("DELETE", `/api/v1/daemons/${workshopId}`)).toMatchObject({ status: 200 });
    const [kept, tokens] = [await configurations(), await sealedTokens()];
    await stop();

    await using _attic = await occupy(kept.attic.port);
    await using _workshop = await occupy(kept.workshop.port);
    const port = await freePort();
    const [scan] = await Promise.all([scanWhenReady(port, atticId), startAt(port)]);
    expect(await send("GET", `/api/v1/discovery/sessions/${scan}`)).toMatchObject({ status: 200 });
    const moved = await configurations();
    expect(moved.attic.port).not.toBe(kept.attic.port);
    expect(moved.attic.key).not.toBe(kept.attic.key);
    expect(await daemon(atticId)).toMatchObject({
      ...settings,
      name: `${name} window`,
      url: `http://127.0.0.1:${moved.attic.port}/`,
      is_unreachable: false,
    });
    expect(await send("GET", finishedScan)).toMatchObject({ data: { daemon_id: atticId } });
    expect(await sealedTokens()).toEqual({
      [atticId]: expect.anything(),
      [cellarId]: tokens[cellarId],
    });
    await expectPolled(atticId);
    expect(service.output()).not.toContain("not ready");
  });

  it("are provisioned if they do not have a key because an earlier start was killed", async () => {
    const { attic } = await configurations();
    const { [atticId]: kept } = await sealedTokens();
    await stop();
    await writeFile(configurationsFile(), JSON.stringify({ attic }));
    await start();
    expect(Object.keys(await configurations())).toEqual(["attic", "workshop", "cellar"]);
    expect((await sealedTokens())[atticId]).toEqual(kept);
    await expectPolled(workshopId);
    await expectPolled(cellarId);
  });

  it("get new keys if theirs are lost, even if the Owner key was deleted", async () => {
    const role = { permissions: "Owner", network_ids: null };
    expect(await send("POST", "/api/v1/auth/keys", { ...role, name: "New" })).toMatchObject({
      status: 201,
    });
    const { data: self } = await send("GET", "/api/v1/auth/whoami");
    const ownKey = `/api/v1/auth/keys/${self.api_key.id}`;
    expect(await send("DELETE", ownKey)).toMatchObject({ status: 200 });
    await stop();
    await rm(configurationsFile());
    await start();
    expect(service.output()).not.toContain("not ready");
    expect(Object.keys(await configurations())).toEqual(["attic", "workshop", "cellar"]);
    const daemons = async (): Promise<Record<string, unknown>[]> => {
      const response = await fetch(`${service.address}/api/v1/daemons?order_by=name`, {
        headers: { Authorization: `Bearer ${demo.keys.viewer}` },
      });
      return Object(await response.json()).data;
    };
    const started = new Date().toISOString();
    await expect
      .poll(daemons, { timeout: 60_000, interval: 500 })
      .toSatisfy(([attic]) => attic.last_seen > started && attic.last_error === null);
  });

  it("are reported as missing if their network was deleted, and the service runs without them", async () => {
    await stop();
    await start("--reset");
    const { network_id } = await daemon(atticId);
    const network = `/api/v1/networks/${network_id}?cascade=true`;
    expect(await send("DELETE", network)).toMatchObject({ status: 200 });
    await stop();
    await rm(configurationsFile());
    await start();
    expect(service.output()).toMatch(
      /\nThe demo daemons are not ready\. .+\nTo restore the demo data: npm run dev -- --reset\n/s,
    );
    expect(await send("GET", "/api/v1/daemons")).toMatchObject({ status: 200 });
  });

  it("are provisioned again after --reset, even if configurations exist", async () => {
    await stop();
    await writeFile(configurationsFile(), JSON.stringify(firstConfigurations));
    await start("--reset");
    const after = await configurations();
    expect(Object.keys(after)).toEqual(["attic", "workshop", "cellar"]);
    expect(after.attic.key).not.toBe(firstConfigurations["attic"]?.key);
    await expectPolled(workshopId);
  });
});
