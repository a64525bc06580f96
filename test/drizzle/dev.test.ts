import { existsSync } from "node:fs";
import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { type DevService, freePort, startDevService } from "./helpers/dev-service.ts";
import { exampleRequests } from "./helpers/examples.ts";
import { makeFolder, type TestFolder } from "./helpers/folders.ts";
import { post } from "./helpers/local-databases.ts";
import { internals, npmRun, root } from "./helpers/npm.ts";
import { paste } from "./helpers/pasted.ts";
import { stillRunning } from "./helpers/processes.ts";

/** Operations that return empty lists and are kept for client compatibility. */
const emptyLists = /\/(dependencies|auth\/daemon|discovery)$/;

/** The script of `/explore`, which `npm run dev` builds if its sources are newer. */
const page = join(root, "src/docs/assets/explore/app.js");

/** Two copies, started concurrently: one with a new folder, and one with a folder to be reset. */
let folder: TestFolder;
let port: number;
let service: DevService;
let otherFolder: TestFolder;
let other: DevService;
const all = new Set<number>();

const start = async (...given: Parameters<typeof startDevService>) => {
  const started = await startDevService(...given);
  for (const pid of await started.processes()) {
    all.add(pid);
  }
  return started;
};

beforeAll(async () => {
  [folder, otherFolder] = await Promise.all([makeFolder(), makeFolder("migrated")]);
  const before = await startLocalDatabase({ dataFolder: otherFolder.postgres });
  await post(
    { database: before },
    `{"query": "insert into organizations (name) values ('Old')", "params": []}`,
  );
  await before.close();
  port = await freePort();
  const otherPort = await freePort();
  [service, other] = await Promise.all([
    start(folder.path, port),
    start(otherFolder.path, otherPort, ["--reset"]),
  ]);
}, 120_000);
afterAll(async () => {
  for (const pid of await stillRunning([...all])) {
    process.kill(pid, "SIGKILL");
  }
  await Promise.all([folder.remove(), otherFolder.remove()]);
});

const get = async ({ address }: DevService, path: string, key: string) => {
  const response = await fetch(address + path, { headers: { Authorization: `Bearer ${key}` } });
  return { status: response.status, ...Object(await response.json()) };
};
const renameOrganization = (name: string, { address }: DevService) =>
  fetch(`${address}/api/v1/organizations/${demo.organization.id}`, {
    method: "PUT",
    headers: {
      Authorization: `Bearer ${demo.keys.owner}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(name),
  });
/** Runs a query in the database that a service has announced. Returns the rows. */
async function query({ path }: TestFolder, statement: string): Promise<unknown[]> {
  const running = JSON.parse(await readFile(join(path, "running.json"), "utf8"));
  const body = JSON.stringify({ query: statement, params: [] });
  return Object(await (await post({ database: running }, body)).json()).rows;
}

const organizations = async (data: TestFolder) =>
  (await query(data, "select name from organizations")).flat();

/** Ends a service, and checks that none of its processes is still running. */
async function endWith(service: DevService, end: (processes: number[]) => unknown): Promise<void> {
  const processes = await service.processes();
  expect(processes.length).toBeGreaterThan(3);
  await end(processes);
  await service.ended;
  await expect.poll(() => stillRunning(processes), { timeout: 30_000 }).toEqual([]);
  await expect(fetch(service.address)).rejects.toThrow("fetch failed");
}

/** Presses Ctrl-C, and checks that the service removes its lock and its announcement. */
async function interrupt(interrupted: DevService, data: TestFolder): Promise<void> {
  expect(existsSync(join(data.postgres, "lock"))).toBe(true);
  await endWith(interrupted, () => interrupted.interrupt());
  expect(existsSync(join(data.postgres, "lock"))).toBe(false);
  expect(existsSync(join(data.path, "running.json"))).toBe(false);
}

describe("npm run dev", () => {
  it("says what it is starting before it is ready", () => {
    expect(service.output()).toMatch(/Starting Postgres …\n.*Starting the service …\n.*ready/s);
  });

  it("prints requests that work when pasted", async () => {
    const lines = service.output().match(/^ +curl .*$/gm) ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) {
      const response = await paste(line);
      expect([line, response.status, await response.json()]).toMatchObject([
        line,
        200,
        { success: true },
      ]);
    }
  });

  it("answers the README's requests, which find what they describe", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const sections = readme
      .split(/^## /m)
      .filter((section) => /^(Import hosts|Query|Follow changes|Integrations)/.test(section));
    const lines = sections.flatMap((section) => section.match(/(?:^|(?<=`))curl [^`\n]+/gm) ?? []);
    expect(lines).toHaveLength(9);
    for (const line of lines) {
      const response = await paste(
        line.replace("localhost:8787", `localhost:${port}`).replace(/ > [\w.]+$/, ""),
      );
      const text = await response.text();
      expect([line, response.status, text]).toEqual([line, 200, expect.stringMatching(/./)]);
      expect([line, text]).not.toEqual([line, expect.stringContaining('"data":[]')]);
    }
  });

  it("fills an empty organization using the README's commands", async () => {
    const variables = { DATA_FOLDER: folder.path };
    const created = await npmRun("organization", ["create", "Acme"], variables);
    const [organization = ""] = /[\da-f-]{36}/.exec(created.stdout) ?? [];
    const options = ["create", "--organization", organization, "--name", "First key"];
    const [key = ""] = /inv_u_\w+/.exec((await npmRun("key", options, variables)).stdout) ?? [];
    const readme = await readFile(join(root, "README.md"), "utf8");
    const [, section = ""] = readme.split("## From an empty organization to the first binding");
    const [create, report] = [...section.matchAll(/```sh\n(curl [^`]*)```/g)].map(
      ([, block]) => block,
    );
    const commands = `${create}${report}`
      .replaceAll("KEY", key)
      .replaceAll("ORGANIZATION", organization)
      .replaceAll("http://localhost:8787", service.address)
      .replace("http://localhost:60073", "http://127.0.0.1:1")
      .split(/^(?=curl )/m);
    expect(commands).toHaveLength(6);
    for (const command of commands) {
      const response = await paste(command);
      const body = await response.json();
      expect([command, response.status, body]).toMatchObject([
        command,
        command.includes(" -d ") ? 201 : 200,
        { success: true },
      ]);
      if (command.includes("/bindings")) {
        expect(Object(body).data).toMatchObject([{ type: "Port" }]);
      }
    }
    await expect
      .poll(async () => (await get(service, "/api/v1/daemons", key)).data, { timeout: 30_000 })
      .toMatchObject([{ name: "attic", last_error: { code: "connection_refused" } }]);
  });

  it("contacts the demo's daemons, which are attached to subnets of the demo's hosts", async () => {
    await expect
      .poll(
        async () => {
          const { data } = await get(
            other,
            "/api/v1/daemons?is_unreachable=false",
            demo.keys.viewer,
          );
          return data.map(
            (daemon: { capabilities: { interfaced_subnet_ids: string[] } }) =>
              daemon.capabilities.interfaced_subnet_ids.length > 0,
          );
        },
        { timeout: 30_000 },
      )
      .toEqual([true, true]);
  });

  it.each(exampleRequests())("serves the document's example for $operationId", async (example) => {
    const { method, path, query, body, isOfOperators } = example;
    const withQuery = query === "" ? path : `${path}?${query}`;
    // A record cannot be deleted twice, a diff requires an instant, a search a text, and the data of
    // a topology its network.
    const isOnce = method === "DELETE" || /\/(diff|search|topology\/data)$/.test(path);
    const urls = isOnce ? [withQuery] : [path, withQuery];
    for (const url of new Set(urls)) {
      const response = await fetch(other.address + url, {
        method,
        body,
        headers: {
          Authorization: `Bearer ${isOfOperators ? demo.operator_key.key : demo.keys.owner}`,
          ...(body !== null && { "Content-Type": "application/json" }),
        },
      });
      const text = await response.text();
      if (/^\/api\/v1\/exports\/|\/export\/mermaid$/.test(path)) {
        expect([url, response.status, text]).toEqual([url, 200, expect.stringMatching(/./)]);
        continue;
      }
      const { data, error, meta } = Object(JSON.parse(text));
      expect([url, response.ok, data, error]).toEqual([url, true, expect.anything(), undefined]);
      expect(meta.pagination?.total_count === 0, url).toBe(emptyLists.test(path));
    }
  });

  it("does not print anything that looks like an error", () => {
    expect(service.output()).not.toMatch(/✘|▲|exception|deprecat/i);
    expect(service.output()).not.toMatch(internals);
  });

  it("after the introduction, prints only one line per request and per change that the bell receives", async () => {
    const seenToday = "select from daemons where last_seen_at > now() - interval '1 day'";
    await expect
      .poll(async () => (await query(folder, seenToday)).length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(2);
    const [, after = ""] = service.output().split("Ctrl-C stops everything.");
    const lines = after.split("\n").filter((line) => line !== "");
    expect(lines).toContainEqual(expect.stringMatching(/^GET \/api\/v1\/credentials 200, \d+ ms$/));
    expect(lines.filter((line) => !/^[A-Z]+ \S+ \d{3}, \d+ ms$|^bell: /.test(line))).toEqual([]);
    expect(service.output()).not.toContain("POLL_QUEUE");
  });

  it("stores the database's password in a file that only the user can read", async () => {
    expect((await stat(join(folder.path, "running.json"))).mode & 0o777).toBe(0o600);
  });

  it("runs alongside another copy, each with its own data", async () => {
    expect((await renameOrganization("Renamed in one copy", service)).status).toBe(200);
    expect(await organizations(folder)).toContain("Renamed in one copy");
    expect(await organizations(otherFolder)).toContain(demo.organization.name);
    expect(await get(other, "/api/v1/bindings?limit=1", demo.keys.viewer)).toMatchObject({
      status: 200,
      meta: { pagination: { has_more: true } },
    });
  });

  it("starts with new data after --reset", async () => {
    const names = await organizations(otherFolder);
    expect(names).toContain(demo.other.organization.name);
    expect(names).not.toContain("Old");
  });

  it("immediately accepts keys that are created while it runs, and rejects keys that are disabled", async () => {
    const key = (...options: string[]) => npmRun("key", options, { DATA_FOLDER: folder.path });
    const { stdout } = await key(
      ...["create", "--organization", demo.organization.id, "--name", "CI", "--recovery"],
    );
    const [, id = ""] = /Created key (\S+) /.exec(stdout) ?? [];
    const [plaintext = ""] = /inv_u_\w+/.exec(stdout) ?? [];
    expect((await get(service, "/api/v1/bindings", plaintext)).status).toBe(200);
    expect(await key("disable", "--id", id)).toMatchObject({ status: 0 });
    expect(await get(service, "/api/v1/bindings", plaintext)).toMatchObject({
      status: 401,
      code: "auth_key_disabled",
    });
  });

  it("polls the demo daemons that are reachable", async () => {
    await expect
      .poll(async () => (await get(service, "/api/v1/daemons", demo.keys.viewer)).data, {
        timeout: 20_000,
      })
      .toSatisfy((daemons: Record<string, unknown>[]) =>
        daemons.every((daemon) => daemon["is_unreachable"] || daemon["version"] !== null),
      );
  });

  it("rejects a port or a folder that another copy uses, and leaves that copy's data unchanged", async () => {
    const unused = `${folder.path}-unused`;
    const [samePort, noPort, reset] = await Promise.all([
      npmRun("dev", [], { DATA_FOLDER: unused, PORT: String(port) }),
      npmRun("dev", [], { DATA_FOLDER: unused, PORT: "http" }),
      npmRun("dev", ["--reset"], { DATA_FOLDER: folder.path, PORT: String(await freePort()) }),
    ]);
    expect([samePort, noPort, reset]).toEqual([
      {
        status: 1,
        stdout: "",
        stderr: `Port ${port} is not free. Stop what uses it, or choose another one; a second npm run dev also needs a folder of its own: PORT=8788 DATA_FOLDER=.local-2 npm run dev\n`,
      },
      { status: 1, stdout: "", stderr: "PORT must be a number from 1 to 65535, not http.\n" },
      { status: 1, stdout: "", stderr: expect.stringMatching(/^The data folder .* is in use by /) },
    ]);
    expect(existsSync(unused)).toBe(false);
    expect(await organizations(folder)).toContain("Renamed in one copy");
  });

  it("rejects a folder whose database cannot be upgraded, and names it", async () => {
    await using former = await makeFolder("migrated");
    const database = await startLocalDatabase({ dataFolder: former.postgres });
    await database.withClient((client) =>
      client.query("update drizzle.__drizzle_migrations set hash = 'another'"),
    );
    await database.close();
    const variables = { DATA_FOLDER: former.path, PORT: String(await freePort()) };
    const refusal =
      `The local database in ${former.path} cannot be upgraded to this version. ` +
      "To replace it with a new one: npm run dev -- --reset\n";
    expect(await npmRun("dev", [], variables)).toEqual({
      status: 1,
      stdout: "Starting Postgres …\n",
      stderr: refusal,
    });
    expect(await npmRun("organization", ["list"], { DATA_FOLDER: former.path })).toEqual({
      status: 2,
      stdout: "",
      stderr: refusal,
    });
  });

  it("stops all of its processes on Ctrl-C, and does not affect another copy", async () => {
    await interrupt(service, folder);
    expect((await get(other, "/api/v1/credentials", demo.keys.viewer)).status).toBe(200);
  });

  it("does not leave any process running when it is killed", async () => {
    const pid = Number(await readFile(join(otherFolder.postgres, "lock"), "utf8"));
    await endWith(other, () => process.kill(pid, "SIGKILL"));
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "starts again with the same data, does not build the page again, and stops when npm gets %s",
    async (signal) => {
      // A file that is written again would restart every other service in this folder.
      const { mtimeMs } = await stat(page);
      service = await start(folder.path, port);
      expect((await stat(page)).mtimeMs).toBe(mtimeMs);
      expect(await organizations(folder)).toContain("Renamed in one copy");
      await endWith(service, ([npm = 0]) => process.kill(npm, signal));
    },
  );

  it("reports a failed database, and stops", async () => {
    service = await start(folder.path, port);
    const log = join(folder.postgres, "pgdata/pg_wal");
    await endWith(service, async () => {
      await rename(log, `${log}-away`);
      // The next write fails; it may be one of the poller's writes.
      await query(folder, "select pg_switch_wal()").catch(() => {});
      await query(folder, "create table lost as select 1 as id").catch(() => {});
    });
    expect(await service.ended).not.toBe(0);
    expect(service.output()).toContain("The local database has failed: could not");
    expect(service.output()).not.toMatch(internals);
  });
});
