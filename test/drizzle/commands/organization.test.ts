import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import demo from "../../../drizzle/demo.json" with { type: "json" };
import { announceRunning } from "../../../drizzle/local/running.ts";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
import { makeDatabase } from "../../local-database/postgres.ts";
import { type Announced, startAnnounced } from "../helpers/announced.ts";
import { makeFolder } from "../helpers/folders.ts";
import { postgresUrl } from "../helpers/local-databases.ts";
import { internals, npmOutput, npmRun, root, type Script } from "../helpers/npm.ts";

const created = /^Created organization ([\da-f-]{36}): (.+)\n$/;

describe("npm run organization, while a service runs", () => {
  let announced: Announced;
  beforeAll(async () => {
    announced = await startAnnounced();
  });
  afterAll(() => announced.close());

  it("creates an organization without onboarding progress, in the service's own database", async () => {
    const { status, stdout } = await announced.run("organization", ["create", "  Ämter & Söhne "]);
    expect(status).toBe(0);
    const [, id, name] = created.exec(stdout) ?? [];
    expect(name).toBe("Ämter & Söhne");
    expect(
      await announced.sql`select name, onboarding, use_case, plan from organizations where id = ${id}`,
    ).toEqual([{ name, onboarding: ["OrgCreated"], use_case: "other", plan: null }]);
    const list = await announced.run("organization", ["list"]);
    expect(list.stdout).toContain(`${id}  ${name}\n`);
    expect(list.stdout).toContain(`${demo.organization.id}  ${demo.organization.name}\n`);
  });

  // Callers choose names. A name must not be able to control the operator's terminal or to look
  // like a separate line.
  it("escapes control characters in names", async () => {
    const forged =
      "Acme\u001b[2J\u0007\n00000000-0000-0000-0000-000000000000  Forged\u009b\u202e\u2028";
    const escaped =
      "Acme\\u{1b}[2J\\u{7}\\u{a}00000000-0000-0000-0000-000000000000  Forged\\u{9b}\\u{202e}\\u{2028}";
    const [{ id } = {}] = await announced.sql`
      insert into organizations (name) values (${forged}) returning id`;
    const list = await announced.run("organization", ["list"]);
    expect(list.stdout.split("\n")).toContain(`${id}  ${escaped}`);
    const refused = await announced.run("organization", ["delete", String(id)]);
    expect(refused.stderr).toContain(`This deletes ${escaped} with all of its records`);
    const options = ["create", "--organization", String(id), "--name", "First\u009b\u202e"];
    expect((await announced.run("key", options)).status).toBe(0);
    const keys = await announced.run("key", ["list", "--organization", String(id)]);
    expect(keys.stdout).toContain('"First\\u{9b}\\u{202e}"');
  });

  it.each([
    [["create"], /^NAME: is required\n\nUsage:/],
    [["create", " "], /^NAME: must have at least 1 character\n\nUsage:/],
    [["create", "Acme", "Inc."], /^Usage:/],
    [["create", "--name", "Acme"], /^Unknown option '--name'/],
  ])("%j prints an error, and does not create anything", async (options, message) => {
    const before = await announced.dump();
    const { status, stdout, stderr } = await announced.run("organization", options);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(internals);
    expect(await announced.dump()).toBe(before);
  });
});

describe("npm run organization -- export", () => {
  let announced: Announced;
  beforeAll(async () => {
    announced = await startAnnounced();
  });
  afterAll(() => announced.close());

  it("prints all rows of one organization, without secrets and without rows of other organizations", async () => {
    const { id } = demo.organization;
    await announced.sql`insert into idempotency_keys
      (organization_id, api_key_id, key, operation, request_digest, record_ids)
      select organization_id, id, 'a', 'POST /api/v1/tags', sha256('a'), '{}' from user_api_keys
      where organization_id = ${id} limit 1`;
    const { status, stdout, stderr } = await announced.run("organization", ["export", id]);
    expect([status, stderr]).toEqual([0, ""]);
    const { exported_at, organization, ...tables } = JSON.parse(stdout);
    expect(Date.parse(exported_at)).toBeLessThanOrEqual(Date.now());
    expect(organization).toMatchObject(demo.organization);

    const names = await announced.sql`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'organizations'`;
    const secret = [
      "credential_secrets",
      "daemon_secrets",
      "idempotency_keys",
      "user_api_key_secrets",
      "user_api_tokens",
      "webhook_secrets",
    ];
    expect(Object.keys(tables).sort()).toEqual(
      names
        .map(({ name }) => String(name))
        .filter((name) => !secret.includes(name))
        .sort(),
    );
    for (const [name, rows] of Object.entries(tables)) {
      const [stored] = await announced.sql.query(
        `select coalesce(jsonb_agg(to_jsonb(record) order by to_jsonb(record)), '[]') as rows
         from ${name} as record where organization_id = $1`,
        [id],
      );
      expect([name, new Set(Object(rows).map(JSON.stringify))]).toEqual([
        name,
        new Set(stored?.["rows"].map(JSON.stringify)),
      ]);
    }
    expect(tables.bindings.some((binding: unknown) => Object(binding).valid_to !== null)).toBe(
      true,
    );

    const sealed = await announced.sql`
      select sealed as text from credential_secrets union all select sealed from daemon_secrets
      union all select encode(key_hash, 'hex') from user_api_key_secrets
      union all select encode(request_digest, 'hex') from idempotency_keys`;
    expect(sealed.length).toBeGreaterThan(8);
    for (const { text } of sealed) {
      expect(stdout).not.toContain(text);
    }
    expect(stdout).not.toContain(demo.other.organization.id);
  });

  it("rejects an unknown or missing id, and does not print any rows", async () => {
    const nobody = "00000000-0000-4000-8000-000000000000";
    expect(await announced.run("organization", ["export", nobody])).toEqual({
      status: 2,
      stdout: "",
      stderr: `There is no organization with the id ${nobody}.\n`,
    });
    const { status, stderr } = await announced.run("organization", ["export"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^ID: is required\n\nUsage:/)]);
  });
});

describe("npm run organization -- delete", () => {
  let announced: Announced;
  beforeAll(async () => {
    announced = await startAnnounced();
  });
  afterAll(() => announced.close());
  const remove = (id: string, input: string) =>
    announced.run("organization", ["delete", id], {}, input);

  it.each(["", "\n", "Harbour Street\n", `${demo.other.organization.name}\n`, "yes\n"])(
    "does not delete anything when %j is typed",
    async (input) => {
      const before = await announced.dump();
      const { status, stdout, stderr } = await remove(demo.organization.id, input);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("Type the name of the organization");
      expect(stderr).toMatch(/The name does not match: nothing was deleted\.\n$/);
      expect(await announced.dump()).toBe(before);
    },
  );

  it("deletes an organization with its history, and nothing else, once its name is typed", async () => {
    const { id, name } = demo.organization;
    const { status, stdout } = await remove(id, `${name}\n`);
    expect([status, stdout]).toEqual([0, `Deleted organization ${id}: ${name}\n`]);
    const dump = await announced.dump();
    expect(dump).not.toContain(id);
    expect(dump).not.toContain(name);
    const { organization, keys } = demo.other;
    expect(dump).toContain(organization.name);
    const entered = await announced.sql`select organization_id
      from app.enter(sha256(convert_to(${keys.owner}, 'UTF8')), 'Owner', 5000)`;
    expect(entered).toEqual([{ organization_id: organization.id }]);
    expect((await remove(id, `${name}\n`)).stderr).toBe(
      `There is no organization with the id ${id}.\n`,
    );
  });
});

describe("npm run organization", () => {
  it.each([
    ["DATABASE_URL", { DATABASE_URL: "postgresql://somebody:secret@127.0.0.1:1/nowhere" }],
    ["a data folder", {}],
  ])(
    "does not make the database that it has opened reachable on a port: %s",
    async (_, variables) => {
      await using folder = await makeFolder("migrated");
      const { stderr } = await npmRun("organization", ["list"], {
        DATA_FOLDER: folder.path,
        NODE_OPTIONS: `--import=${join(root, "test/drizzle/helpers/report-listening.ts")}`,
        ...variables,
      });
      expect(stderr).not.toContain("listening");
    },
  );
});

describe("npm run organization, while no service runs", () => {
  it("reports a full disk", async () => {
    await using folder = await makeFolder();
    const { status, stdout, stderr } = await npmRun("organization", ["list", "--local"], {
      DATA_FOLDER: folder.path,
      NODE_OPTIONS: `--import=${join(root, "test/drizzle/helpers/full-disk.ts")}`,
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `The disk is full: the local database in ${folder.postgres} cannot start. ` +
        "Free some space and start again.\n",
    );
  });

  it("opens the data folder itself, even if a killed service has left an announcement there", async () => {
    await using folder = await makeFolder("empty");
    await announceRunning(folder.path, {
      endpoint: "http://127.0.0.1:1/sql",
      connectionString: "postgresql://local:local@localhost/inventory",
      demoDaemons: "http://127.0.0.1:1",
      port: "1",
      workerGroup: process.pid,
    });
    const variables = { DATA_FOLDER: folder.path };
    const { stdout } = await npmRun("organization", ["create", "Acme"], variables);
    const [, id] = created.exec(stdout) ?? [];
    expect(existsSync(join(folder.postgres, "lock"))).toBe(false);
    const list = await npmRun("organization", ["list"], variables);
    expect(list).toEqual({ status: 0, stdout: `${id}  Acme\n`, stderr: "" });
  });

  it("names the process that uses the data folder", async () => {
    await using folder = await makeFolder("migrated");
    const holder = await startLocalDatabase({ dataFolder: folder.postgres });
    const { status, stdout, stderr } = await npmRun("organization", ["list"], {
      DATA_FOLDER: folder.path,
    });
    await holder.close();
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      new RegExp(`^The data folder ${folder.postgres} is in use by process ${process.pid}\\..*\n$`),
    );
  });
});

const commands: [Script, string[]][] = [
  ["organization", ["list"]],
  ["organization", ["create", "Acme"]],
  ["key", ["list", "--organization", crypto.randomUUID()]],
  ["reseal", []],
];

describe.each(commands)("npm run %s %j, without a database", (script, options) => {
  it("prints an error, and does not create a database", async () => {
    await using folder = await makeFolder();
    const { status, stdout, stderr } = await npmOutput(script, options, {
      DATA_FOLDER: folder.path,
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `There is no database: DATABASE_URL is not set, and ${folder.path} contains no local one. ` +
        "Set DATABASE_URL, start npm run dev, or add --local to create a local database.\n",
    );
    expect(existsSync(folder.path)).toBe(false);
  });

  it("does not treat an empty DATABASE_URL as the local database", async () => {
    await using folder = await makeFolder("migrated");
    const { status, stderr } = await npmOutput(script, options, {
      DATA_FOLDER: folder.path,
      DATABASE_URL: "",
      SEALING_KEYS: `a:${btoa("x".repeat(32))}`,
    });
    expect([status, stderr]).toEqual([
      2,
      "DATABASE_URL is empty. Set it to a connection string, or unset it.\n",
    ]);
  });
});

describe("npm run organization, on a local or a remote database", () => {
  it("prints the local database, which --local creates and later commands use by default", async () => {
    await using folder = await makeFolder();
    const variables = { DATA_FOLDER: folder.path };
    const stderr = `Database: the local one, in ${folder.path}\n`;
    const made = await npmOutput("organization", ["create", "Acme", "--local"], variables);
    expect(made).toMatchObject({ status: 0, stderr });
    const list = await npmOutput("organization", ["list"], variables);
    expect(list).toMatchObject({ status: 0, stderr, stdout: expect.stringContaining("Acme") });
  });

  it("prints the database from DATABASE_URL, without its password", async () => {
    const variables = { DATABASE_URL: "postgresql://somebody:secret@127.0.0.1:1/nowhere?a=secret" };
    const { stderr } = await npmOutput("organization", ["list"], variables);
    expect(stderr).toBe(
      "Database: somebody@127.0.0.1:1/nowhere\nconnect ECONNREFUSED 127.0.0.1:1\n",
    );
  });

  it("rejects --local with DATABASE_URL", async () => {
    const variables = { DATABASE_URL: "postgresql://somebody:secret@127.0.0.1:1/nowhere" };
    const { status, stderr } = await npmOutput("organization", ["list", "--local"], variables);
    expect([status, stderr]).toEqual([
      2,
      "DATABASE_URL is set: unset it to work on the local database.\n",
    ]);
  });
});

describe("npm run organization, with DATABASE_URL", () => {
  it("reports that the database cannot be reached, without printing the statement", async () => {
    const { status, stdout, stderr } = await npmRun("organization", ["list"], {
      DATABASE_URL: "postgresql://somebody:secret@127.0.0.1:1/nowhere",
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe("connect ECONNREFUSED 127.0.0.1:1\n");
  });

  for (const url of postgresUrl === undefined ? [] : [postgresUrl]) {
    it("works on a real Postgres that npm run migrate has prepared", async () => {
      const { databaseUrl, drop } = await makeDatabase(url);
      const variables = { DATABASE_URL: databaseUrl };
      const early = await npmRun("organization", ["list"], variables);
      expect([early.status, early.stderr]).toEqual([
        1,
        'relation "organizations" does not exist\n',
      ]);
      expect(await npmRun("migrate", [], variables)).toEqual({
        status: 0,
        stdout: expect.stringMatching(
          /^Applied the migration 0000_\w+\.\n.*Applied \d+ function files and \d+ rule files\. The database is/s,
        ),
        stderr: "",
      });
      expect(await npmRun("migrate", [], variables)).toEqual({
        status: 0,
        stdout: "There was nothing to apply: the database is at the newest schema.\n",
        stderr: "",
      });
      const { stdout } = await npmRun("organization", ["create", "Acme"], variables);
      const [, id = ""] = created.exec(stdout) ?? [];
      const key = await npmRun(
        "key",
        ["create", "--organization", id, "--name", "First"],
        variables,
      );
      expect(key).toMatchObject({ status: 0, stderr: "" });
      await drop();
    });
  }
});
