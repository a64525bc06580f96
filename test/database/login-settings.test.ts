import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { openPoller } from "../helpers/poller.ts";

// A login needs no privilege to alter its own settings, so a stolen login could redirect table
// lookups. PGlite's only session simulates a stolen login's session.
describe.skipIf(inject("isRealPostgres"))("a login with another search_path", () => {
  let organization: Organization;

  beforeAll(async () => {
    organization = await mintOrganization();
    await sql`select set_config('search_path', 'nowhere', false)`;
  });

  afterAll(async () => {
    await sql`select set_config('search_path', '"$user", public', false)`;
  });

  test("still serves requests", async () => {
    const { keys, networks } = organization;
    const api = openApi();
    const json = { name: "Office", description: null };
    for (const [method, path, body] of [
      ["GET", "/api/v1/networks", undefined],
      ["GET", "/api/v1/hosts?q=Test", undefined],
      ["GET", "/api/v1/hosts?limit=0", undefined],
      ["PUT", `/api/v1/networks/${networks[0].id}`, json],
    ] as const) {
      const answer = await api.send(method, path, { key: keys.owner, json: body });
      expect(answer, `${method} ${path}: ${answer.text}`).toMatchObject({ status: 200 });
    }
  });

  test("still polls daemons", async () => {
    const lines: string[] = [];
    const { log } = console;
    console.log = (line: string) => lines.push(line);
    await openPoller().cycle();
    console.log = log;
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ event: "poll_cycle", completed: true }),
    );
  });
});
