import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { ansibleInventory } from "../../src/inventory/exports/ansible.ts";
import { linesOf } from "../../src/inventory/exports/hosts-file.ts";
import type { ExportedHost } from "../../src/inventory/exports/model.ts";
import { toTargetGroup } from "../../src/inventory/exports/prometheus.ts";
import { hostileNames } from "../inventory/exports/hostile.ts";

const run = promisify(execFile);
const tools = join(import.meta.dirname, ".tools");
/** `.ci/install-programs` installs them. In CI they are never missing. */
const isInstalled = existsSync(join(tools, "bin/promtool")) || process.env["CI"] === "true";

/** A host of each hostile name, with tags, services and a network of that name, too. */
const hosts: ExportedHost[] = hostileNames.map((name, index) => ({
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

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "exports-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ansibleText(): Promise<string> {
  const chunks = [hosts.slice(0, 5), hosts.slice(5)];
  const next = ansibleInventory(async () => chunks.shift() ?? null);
  let text = "";
  for (let piece = await next(); piece !== null; piece = await next()) {
    text += piece;
  }
  return text;
}

describe.skipIf(!isInstalled)("Ansible", () => {
  let script: string;
  const environment = { ...process.env, ANSIBLE_LOCALHOST_WARNING: "False", LC_ALL: "C.UTF-8" };

  beforeAll(async () => {
    await writeFile(join(folder, "inventory.json"), await ansibleText());
    script = join(folder, "inventory.sh");
    await writeFile(script, `#!/bin/sh\ncat "${folder}/inventory.json"\n`);
    await chmod(script, 0o755);
  });

  test("lists every host and group as they were sent", async () => {
    const { stdout, stderr } = await run(
      join(tools, "bin/ansible-inventory"),
      ["-i", script, "--list"],
      { env: environment, cwd: folder },
    );
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

  test("renders no name of a device as a template", async () => {
    const { stdout } = await run(
      join(tools, "bin/ansible"),
      ["-i", script, "all", "-c", "local", "-m", "debug", "-a", "var=network_inventory.name"],
      { env: environment, cwd: folder },
    );
    expect(stdout).toContain("{ { lookup('pipe', 'touch /hostile') }}");
    expect(existsSync("/hostile")).toBe(false);
  });
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
        `,${name.replaceAll(",", "_")},web,`,
      ]);
    }
  });
});

test("a resolver reads no line of a hosts file but ours", async () => {
  const text = hosts.map(linesOf).join("");
  expect(text).not.toMatch(/10\.9\.9\.9\t|localhost|#/);
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(/^192\.0\.2\.\d+\t[a-z0-9.-]+( [a-z0-9.-]+)*$/);
  }
});
