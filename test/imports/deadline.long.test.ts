import { describe, expect, test } from "vitest";
import { longDeadlineFactor } from "../../src/database/session.ts";
import { seen, unavailableWith } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { at } from "./helpers.ts";

/** A report of more than 64 KiB, which is treated as a large body. */
const large = Array.from({ length: 500 }, (_, index) =>
  at(`10.0.${index >> 8}.${index & 255}`, { name: "host".padEnd(100, ".") }),
);

/** Creates an organization whose imports use a database that tests can disrupt. */
async function openImporter(variables: Record<string, string> = {}) {
  const { id, keys } = await mintOrganization();
  const path = `/api/v1/networks/${await mintEmptyNetwork(id)}/imports`;
  const api = openApi(variables);
  const key = keys.member;
  // The isolate caches the key and its organization, so the next call is for the import.
  await api.send("GET", "/api/v1/tags?limit=1", { key });
  return {
    ...api,
    key,
    report: (hosts: object[]) => api.send("POST", path, { key, json: { hosts } }),
  };
}

// The tests run concurrently, because each one mostly waits.
describe.concurrent("an import", () => {
  test("may take longer than other database calls", async () => {
    const { disturb, send, key, report } = await openImporter({ DATABASE_DEADLINE_MS: "800" });
    await disturb({ delay_ms: 1200 });
    expect(await send("GET", "/api/v1/hosts", { key })).toMatchObject({ status: 503 });
    expect(await report([at("10.0.0.1")])).toMatchObject({ status: 200 });
  });

  test("returns 503 at three times the deadline of other calls", async () => {
    const { disturb, report } = await openImporter({ DATABASE_DEADLINE_MS: "1000" });
    await disturb({ faults: [{ kind: "hang" }] });
    const began = performance.now();
    expect(await report([at("10.0.0.1")])).toMatchObject({ status: 503 });
    expect(longDeadlineFactor).toBe(3);
    expect(performance.now() - began).toBeGreaterThanOrEqual(2990);
    expect(performance.now() - began).toBeLessThan(4000);
  });

  test("advises sending less if it is large and times out, without blocking another organization's import", async () => {
    const [stuck, quick] = [
      await openImporter({ DATABASE_DEADLINE_MS: "1500" }),
      await openImporter(),
    ];
    await stuck.disturb({ faults: [{ kind: "hang" }] });
    let isAnswered = false;
    const waiting = stuck.report(large).finally(() => {
      isAnswered = true;
    });
    await expect.poll(() => stuck.calls()).toBe(1);
    expect(await quick.report(large)).toMatchObject({ status: 200 });
    expect(isAnswered).toBe(false);
    const answer = await waiting;
    expect(seen(answer)).toEqual(unavailableWith({ outcome: "unknown", advice: "send_less" }));
    expect(answer.text).toContain("Split an import into imports of at most 1,000 hosts each");
  });
});
