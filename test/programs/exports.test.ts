import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { csvLines, endOfLine, headerLine } from "../../src/http/list/formats/csv.ts";
import { ansibleInventory } from "../../src/inventory/exports/ansible.ts";
import { linesOf } from "../../src/inventory/exports/hosts-file.ts";
import type { ExportedHost } from "../../src/inventory/exports/model.ts";
import { UniqueNames } from "../../src/inventory/exports/names.ts";
import { toNode } from "../../src/inventory/exports/oxidized.ts";
import { toTargetGroup } from "../../src/inventory/exports/prometheus.ts";
import { hostileNames } from "../inventory/exports/hostile.ts";
import { generatedHosts } from "./generated-hosts.ts";

const run = promisify(execFile);
const tools = join(import.meta.dirname, ".tools");
/** `.ci/install-programs` installs the programs. CI must never skip these tests. */
const isInstalled = existsSync(join(tools, "bin/promtool")) || process.env["CI"] === "true";

/** Hosts with these names, each with a tag, a service and a network of the same name. */
const named = (names: readonly string[]): ExportedHost[] =>
  names.map((name, index) => ({
    id: `0d5c7c1e-2f7b-4c55-9d57-4f6c1e0f${String(7000 + index)}`,
    name,
    hostname: name,
    operating_system: name,
    manufacturer: name,
    model: name,
    network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
    network: name,
    tags: [name, "web"],
    addresses: [`192.0.2.${index + 1}`],
    ports: ["9100/Tcp"],
    services: [{ name, definition: name, ports: ["9100/Tcp"] }],
  }));
const hosts = named(hostileNames);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "exports-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * The number of generated characters in names, and the seed. Releases are tested with ten million
 * characters.
 */
const generated = {
  characters: Number(process.env["EXPORT_CHARACTERS"] ?? 300_000),
  seed: Number(process.env["EXPORT_SEED"] ?? 38),
};
const many = generatedHosts(generated.characters, generated.seed);
/** The maximum number of hosts in an export. */
const hostsOfBatch = 20_000;
const batches = Array.from(
  { length: Math.ceil(many.length / hostsOfBatch) },
  (_, index) => index * hostsOfBatch,
);

async function ansibleText(exported: readonly ExportedHost[] = hosts): Promise<string> {
  const chunks = [exported.slice(0, 5), exported.slice(5)];
  const next = ansibleInventory(async () => chunks.shift() ?? null);
  let text = "";
  for (let piece = await next(); piece !== null; piece = await next()) {
    text += piece;
  }
  return text;
}

const environment = { ...process.env, ANSIBLE_LOCALHOST_WARNING: "False", LC_ALL: "C.UTF-8" };

/** Writes a script that prints an inventory. Returns its path. */
async function scriptOf(exported: readonly ExportedHost[], name: string): Promise<string> {
  const [file, script] = [join(folder, `${name}.json`), join(folder, `${name}.sh`)];
  await writeFile(file, await ansibleText(exported));
  await writeFile(script, `#!/bin/sh\ncat "${file}"\n`);
  await chmod(script, 0o755);
  return script;
}

/** Runs an Ansible program in the tests' folder. */
const ansible = async (program: string, args: readonly string[]) => {
  const { stdout, stderr } = await run(join(tools, "bin", program), args, {
    env: environment,
    cwd: folder,
    maxBuffer: 2 ** 30,
  });
  return { stdout, stderr };
};

describe.skipIf(!isInstalled)("Ansible", () => {
  let script: string;

  beforeAll(async () => {
    script = await scriptOf(hosts, "inventory");
  });

  test("lists every host and group unchanged", async () => {
    const { stdout, stderr } = await ansible("ansible-inventory", ["-i", script, "--list"]);
    expect(stderr).not.toMatch(/invalid characters|Unable to parse|Failed/i);
    const sent = z.record(z.string(), z.looseObject({})).parse(JSON.parse(await ansibleText()));
    const listed = z.record(z.string(), z.looseObject({})).parse(JSON.parse(stdout));
    expect(listed["_meta"]?.["hostvars"]).toEqual(sent["_meta"]?.["hostvars"]);
    for (const [group, { hosts: members }] of Object.entries(sent)) {
      if (group !== "_meta") {
        expect(listed[group]?.["hosts"]).toEqual(members);
      }
    }
  });

  test("does not render device names as templates", async () => {
    const names = [
      "{{ lookup('pipe', 'touch /hostile') }} {% raw %} {# #}",
      "#jinja2: variable_start_string:'[[', variable_end_string:']]'\n[[ lookup('pipe', 'touch /hostile') ]]",
    ];
    const templates = named(names);
    const { stdout } = await ansible("ansible", [
      ...["-i", await scriptOf(templates, "templates"), "all", "-c", "local"],
      ...["-m", "debug", "-a", "msg={{ network_inventory }}"],
    ]);
    expect(stdout).toContain("{ { lookup('pipe', 'touch /hostile') }}");
    expect(stdout).toContain("[[ lookup('pipe', 'touch /hostile') ]]");
    expect(existsSync("/hostile")).toBe(false);
  });

  test.each(batches)(
    "lists each generated host with its own address, starting from host %i",
    {
      timeout: 900_000,
    },
    async (from) => {
      const some = many.slice(from, from + hostsOfBatch);
      const inventory = await scriptOf(some, "many");
      const { stdout, stderr } = await ansible("ansible-inventory", ["-i", inventory, "--list"]);
      expect(stderr).not.toMatch(/invalid characters|Unable to parse|Failed|same name|localhost/i);
      const listed = z
        .looseObject({
          _meta: z.object({
            hostvars: z.record(
              z.string(),
              z.object({
                ansible_host: z.string(),
                network_inventory: z.looseObject({ addresses: z.array(z.string()) }),
              }),
            ),
          }),
        })
        .parse(JSON.parse(stdout));
      const variables = Object.values(listed._meta.hostvars);
      expect(variables.map((one) => one.ansible_host).sort()).toEqual(
        some.flatMap(({ addresses }) => addresses).sort(),
      );
      expect(
        variables.filter((one) => one.network_inventory.addresses[0] !== one.ansible_host),
      ).toEqual([]);
      const { stdout: all } = await ansible("ansible", ["-i", inventory, "all", "--list-hosts"]);
      const [first, ...names] = all.trimEnd().split("\n");
      expect(first).toContain(`hosts (${some.length}):`);
      expect(names.map((name) => name.trim()).sort()).toEqual(
        Object.keys(listed._meta.hostvars).sort(),
      );
    },
  );

  test("does not let device names change the controller", async () => {
    const names = ["localhost", "LOCALHOST", "127.0.0.1", "::1", "all", "a_b"];
    const inventory = await scriptOf(named(names), "controller");
    const playbook = join(folder, "controller.yml");
    await writeFile(
      playbook,
      JSON.stringify([
        {
          hosts: "a_b",
          gather_facts: false,
          tasks: [
            {
              command: { argv: ["echo", "of the controller"] },
              delegate_to: "localhost",
              register: "result",
            },
            { debug: { msg: "{{ result.stdout }} {{ ansible_host }}" } },
          ],
        },
        { hosts: "localhost", gather_facts: false, tasks: [{ command: "true" }] },
      ]),
    );
    const { stdout } = await ansible("ansible-playbook", ["-i", inventory, playbook]);
    expect(stdout).toContain("of the controller 192.0.2.6");
    expect(stdout).toMatch(/^localhost +: ok=1 .*unreachable=0 +failed=0/m);
  });
});

/**
 * These programs come from the Debian packages `dnsmasq-base` and `libreoffice-calc`. Tests of a
 * missing program are skipped. In CI, those of dnsmasq always run.
 */
const hasDnsmasq = existsSync("/usr/sbin/dnsmasq") || process.env["CI"] === "true";
const hasLibreOffice = existsSync("/usr/bin/soffice");

/** Returns a free UDP port on the loopback address. */
async function freePort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return port;
}

describe.skipIf(!hasDnsmasq)("dnsmasq", () => {
  const text = many.map(linesOf).join("");
  let server: ChildProcess;
  let resolver: Resolver;

  beforeAll(async () => {
    const file = join(folder, "hosts");
    await writeFile(file, text);
    const port = await freePort();
    server = spawn("/usr/sbin/dnsmasq", [
      ...["--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user="],
      ...[
        `--addn-hosts=${file}`,
        `--port=${port}`,
        "--listen-address=127.0.0.1",
        "--cache-size=10000",
      ],
      ...["--bind-interfaces", "--pid-file", "--log-facility=-"],
    ]);
    resolver = new Resolver({ tries: 10, timeout: 1000 });
    resolver.setServers([`127.0.0.1:${port}`]);
    // Until it has read the file, it does not listen.
    await vi.waitFor(
      async () => {
        const answer = await resolver.resolve4("localhost").catch((error: unknown) => error);
        expect(answer).not.toMatchObject({ code: "ECONNREFUSED" });
      },
      { timeout: 9000 },
    );
  });
  afterAll(() => server.kill());

  /** With many queries, UDP loses some, so a query without a response is repeated. */
  const addressesOf = (name: string, tries = 5): Promise<string[]> =>
    resolver
      .resolve4(name)
      .catch((error: unknown) =>
        tries > 1 && Object(error).code === "ETIMEOUT" ? addressesOf(name, tries - 1) : [],
      );

  test("resolves each name to its hosts' addresses", {
    timeout: 900_000,
  }, async () => {
    const expected = new Map<string, string[]>();
    for (const line of text.trimEnd().split("\n")) {
      const [address = "", names = ""] = line.split("\t");
      for (const name of names.split(" ")) {
        expected.set(name, [...(expected.get(name) ?? []), address]);
      }
    }
    expect(expected.size).toBeGreaterThan(many.length / 10);
    const waiting = [...expected].values();
    let resolved = 0;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        for (const [name, addresses] of waiting) {
          const answered = await addressesOf(name);
          // A response over UDP has room for only some of the addresses if there are many.
          expect(addresses).toEqual(expect.arrayContaining(answered));
          expect(answered.length).toBeGreaterThan(0);
          resolved++;
        }
      }),
    );
    expect(resolved).toBe(expected.size);
  });

  test.each([
    ...["localhost", "me.localhost", "localhost4", "localhost6.localdomain6", "loopback", "wpad"],
    ...["localdomain", "ip6-allnodes", "broadcasthost", "host.docker.internal", "wpad.lan"],
    ...["metadata.google.internal", "127.1", "0x7f.1", "1.2", "2130706433", "0177.0.0.1"],
  ])("does not resolve %s to a device's address", async (name) => {
    expect((await addressesOf(name)).filter((address) => address.startsWith("10."))).toEqual([]);
  });
});

describe.skipIf(!hasLibreOffice)("LibreOffice", () => {
  test.each([
    ["commas", "44"],
    ["semicolons", "59"],
    ["tabs", "9"],
    ["all three", "44/59/9"],
  ])(
    "does not interpret any table cell as a formula when it splits at %s",
    async (_, separators) => {
      const schema = z.object({ name: z.string(), tags: z.array(z.string()), number: z.int() });
      const signs = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "＝1+1", '"=1+1"', " =1+1", "\u200B=1"];
      const cells = [
        ...signs.flatMap((sign) =>
          ["", "a,", "a;", "a\t", "a\n", 'a;"'].map((before) => before + sign),
        ),
        ...many.slice(0, 2000).map(({ name }) => name),
      ];
      const records = cells.map((name) => ({ name, tags: [name, "x", name], number: -1 }));
      const file = join(folder, "table.csv");
      await writeFile(
        file,
        headerLine({ schema }) + csvLines({ schema }).records(records, true) + endOfLine,
      );
      await run("/usr/bin/soffice", [
        ...[`-env:UserInstallation=file://${folder}/office`, "--headless", "--convert-to", "fods"],
        // The last token enables the evaluation of formulas, which is off by default.
        ...[`--infilter=CSV:${separators},34,76,1,,0,false,true,false,false,false,-1,true`],
        ...["--outdir", folder, file],
      ]);
      const document = await readFile(join(folder, "table.fods"), "utf8");
      expect(document).toContain("<table:table-cell");
      expect(document.match(/table:formula="[^"]*"/g)).toBe(null);
    },
  );
});

describe.skipIf(!isInstalled)("Prometheus", () => {
  let server: Server;

  beforeAll(async () => {
    const groups = hosts.map((host) =>
      toTargetGroup(host, { port: { number: 9100, protocol: null } }),
    );
    server = createServer((_, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(groups));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => server.close());

  test("discovers every host with its labels", async () => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const file = join(folder, "prometheus.yml");
    await writeFile(
      file,
      `scrape_configs:
  - job_name: inventory
    http_sd_configs:
      - url: http://127.0.0.1:${port}/
`,
    );
    const { stdout } = await run(join(tools, "bin/promtool"), [
      "check",
      "service-discovery",
      "--timeout=5s",
      file,
      "inventory",
    ]);
    const found = z
      .array(z.object({ discoveredLabels: z.record(z.string(), z.string()) }))
      .parse(JSON.parse(stdout));
    const byTarget = new Map(
      found.map(({ discoveredLabels: labels }) => [
        labels["__address__"],
        [labels["__meta_inventory_name"], labels["__meta_inventory_tags"]],
      ]),
    );
    for (const [index, name] of hostileNames.entries()) {
      expect(byTarget.get(`192.0.2.${index + 1}:9100`)).toEqual([
        name,
        `,${name.replace(/[,\n]/g, "_")},web,`,
      ]);
    }
  });
});

test("a hosts file does not contain lines injected by names", async () => {
  const text = hosts.map(linesOf).join("");
  expect(text).not.toMatch(/10\.9\.9\.9\t|localhost|#/);
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(/^192\.0\.2\.\d+\t[a-z0-9.-]+( [a-z0-9.-]+)*$/);
  }
});

test("Oxidized gets a unique file name for each generated host, and never a path from a name", () => {
  const unique = new UniqueNames();
  const nodes = many.map((host) => toNode(host, unique));
  const files = nodes.map(({ name }) => name.normalize("NFKC").toLowerCase());
  expect(new Set(files).size).toBe(many.length);
  const isFile = /^(?![.-])[^/\\\p{C}]{1,255}$/u;
  for (const { name, group, model = "" } of nodes) {
    expect([name, group, model].filter((text) => !isFile.test(text) && text !== model)).toEqual([]);
    expect(model).not.toMatch(/[/\\\p{C}]|^\./u);
  }
});
