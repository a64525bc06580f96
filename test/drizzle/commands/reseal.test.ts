import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoSealingKeys } from "../../../drizzle/demo/sealing-keys.ts";
import demo from "../../../drizzle/demo.json" with { type: "json" };
import { KeyRing, tokenPlace } from "../../../src/database/sealing.ts";
import { parseSealingKeys } from "../../../src/env.ts";
import { type Announced, startAnnounced } from "../helpers/announced.ts";
import { internals, npmRun } from "../helpers/npm.ts";

const newKey = `new:${btoa("n".repeat(32))}`;
const newestKey = `newest:${btoa("m".repeat(32))}`;

let announced: Announced;
beforeAll(async () => {
  announced = await startAnnounced();
  // Add more daemons, as provisioning stores them.
  const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
  const organization_id = demo.organization.id;
  for (const { id, name, network } of demo.daemons) {
    const url = `http://127.0.0.1/${name}`;
    const sealed = await ring.seal("demo-daemon-token", tokenPlace(organization_id, id, url));
    await announced.sql`
      with daemon as (
        insert into daemons (organization_id, id, network_id, name, url)
        select organization_id, ${id}, id, ${name}, ${url} from networks
        where organization_id = ${organization_id} and name = ${network}
        returning id)
      insert into daemon_secrets (organization_id, daemon_id, field, sealed)
      select ${organization_id}, id, 'token', ${sealed} from daemon`;
  }
});
afterAll(() => announced.close());

const reseal = (keys: string) => announced.run("reseal", [], { SEALING_KEYS: keys });

/** Returns every secret in the demo data, decrypted with these keys. */
async function secrets(keys: string): Promise<string[]> {
  const ring = new KeyRing(parseSealingKeys(keys));
  const rows = await announced.sql`
    select organization_id, credential_id as id, null as url, field, sealed from credential_secrets
    union all select daemons.organization_id, daemon_id, url, field, sealed
    from daemon_secrets join daemons on daemons.id = daemon_id order by 2, 4`;
  return Promise.all(
    rows.map(({ organization_id, id, url, field, sealed }) =>
      ring.open(
        sealed,
        url === null
          ? { record: "credential", organization_id, id, field }
          : tokenPlace(organization_id, id, url),
      ),
    ),
  );
}

describe("npm run reseal", () => {
  it("does not change anything if all secrets are sealed with the first key", async () => {
    const before = await announced.dump();
    expect(await announced.run("reseal", [])).toEqual({
      status: 0,
      stdout: "Resealed 0 secrets with the key demo.\n",
      stderr: "",
    });
    expect(await announced.dump()).toBe(before);
  });

  it("reseals credential secrets and daemon tokens with the new key, once", async () => {
    const before = await secrets(demoSealingKeys);
    expect(before.sort()).toEqual([
      "demo-auth-password",
      ...Array(4).fill("demo-daemon-token"),
      ...["demo-priv-password", "demo-read-only"],
    ]);
    const first = await reseal(`${newKey},${demoSealingKeys}`);
    expect(first).toEqual({
      status: 0,
      stdout: "Resealed 7 secrets with the key new.\n",
      stderr: "",
    });
    expect((await secrets(newKey)).sort()).toEqual(before);
    const after = await announced.dump();
    const again = await reseal(`${newKey},${demoSealingKeys}`);
    expect(again.stdout).toBe("Resealed 0 secrets with the key new.\n");
    expect(await announced.dump()).toBe(after);
  });

  it("continues after an interruption", async () => {
    const [row] = await announced.sql`
      select organization_id, id, url from daemons order by id limit 1`;
    const { organization_id, id, url } = row ?? {};
    const ring = new KeyRing(parseSealingKeys(newestKey));
    const place = tokenPlace(String(organization_id), String(id), String(url));
    const sealed = await ring.seal("demo-daemon-token", place);
    await announced.sql`update daemon_secrets set sealed = ${sealed} where daemon_id = ${id}`;
    const { stdout } = await reseal(`${newestKey},${newKey}`);
    expect(stdout).toBe("Resealed 6 secrets with the key newest.\n");
    expect(await secrets(newestKey)).toHaveLength(7);
  });

  it("does not change anything if a key that is still needed is missing", async () => {
    const before = await announced.dump();
    const { status, stdout, stderr } = await reseal(`${newKey},${demoSealingKeys}`);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe("SEALING_KEYS lacks keys that have sealed secrets: newest.\n");
    expect(await announced.dump()).toBe(before);
  });

  it("names the record whose secret is not sealed, without printing the secret", async () => {
    const [row] = await announced.sql`
      select credential_id, field, sealed from credential_secrets order by 1, 2 limit 1`;
    const { credential_id, field, sealed } = row ?? {};
    const store = (text: unknown) => announced.sql`
      update credential_secrets set sealed = ${text}
      where credential_id = ${credential_id} and field = ${field}`;
    await store("a-secret-that-somebody-wrote-by-hand");
    const { status, stdout, stderr } = await reseal(newestKey);
    await store(sealed);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `Stored, but not sealed: a secret of credential ${credential_id}. Replace it first.\n`,
    );
  });

  it("rejects a different key with the right name", async () => {
    const before = await announced.dump();
    const { status, stderr } = await reseal(`${newKey},newest:${btoa("x".repeat(32))}`);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^The \w+ of credential [\da-f-]{36} does not open\. Is the key of that name in SEALING_KEYS the right one\?\n$/,
    );
    expect(await announced.dump()).toBe(before);
  });

  it.each([
    ["new:short", "must be NAME:KEY pairs"],
    [`${newKey},${newKey}`, "must not give two keys the same name"],
  ])("reports the error in SEALING_KEYS without printing its keys: %s", async (keys, message) => {
    const { status, stdout, stderr } = await reseal(keys);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`SEALING_KEYS: ${message}`);
    expect(stderr).not.toContain("new:");
    expect(stderr).not.toMatch(internals);
  });

  it("uses the demo key only for the local database", async () => {
    const { status, stderr } = await npmRun("reseal", [], {
      DATABASE_URL: "postgresql://somebody:secret@127.0.0.1:1/nowhere",
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^SEALING_KEYS is required with DATABASE_URL\.\n\nUsage:/);
  });
});

describe("npm run sealing-key", () => {
  it("prints a new key that opens the secrets sealed with it", async () => {
    const [{ status, stdout, stderr }, named] = await Promise.all([
      npmRun("sealing-key", [], {}),
      npmRun("sealing-key", ["spring_2027"], {}),
    ]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d-[\da-f]{8}:[\w+/]{43}=\n$/);
    expect(named.stdout).toMatch(/^spring_2027:[\w+/]{43}=\n$/);
    expect(named.stdout.slice(-45)).not.toBe(stdout.slice(-45));
    const ring = new KeyRing(parseSealingKeys(`${stdout.trim()},${named.stdout.trim()}`));
    const place = tokenPlace("org", "1", "https://daemon.example.com");
    expect(await ring.open(await ring.seal("secret", place), place)).toBe("secret");
  });

  it("generates keys that can be in the same ring, even on the same day", async () => {
    const [first, second] = await Promise.all([
      npmRun("sealing-key", [], {}),
      npmRun("sealing-key", [], {}),
    ]);
    const ring = parseSealingKeys(`${first.stdout.trim()},${second.stdout.trim()}`);
    expect(ring).toHaveLength(2);
  });

  it("rejects an invalid key name", async () => {
    const { status, stdout, stderr } = await npmRun("sealing-key", ["spring 2027"], {});
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Usage:/);
  });
});
