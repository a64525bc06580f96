import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

/** A report of more than 64 KiB, so that it takes a turn. */
const report = {
  hosts: Array.from({ length: 300 }, (_, number) => ({
    hostname: `host-${number}-${"x".repeat(200)}.example.com`,
    addresses: [{ ip_address: `10.0.${number >> 8}.${number & 255}` }],
  })),
};

test("an import is answered while the database still works on another organization's", async () => {
  const [slow, quick] = [await mintOrganization(), await mintOrganization()];
  const send = (api: ReturnType<typeof openApi>, { keys, networks: [{ id }] }: typeof slow) =>
    api.send("POST", `/api/v1/networks/${id}/imports`, { key: keys.member, json: report });
  const stuck = openApi({ DATABASE_DEADLINE_MS: "14000" });
  // The key is good and its organization known, so the next call is that of the import.
  await stuck.send("GET", "/api/v1/tags?limit=1", { key: slow.keys.member });
  await stuck.disturb({ faults: [{ kind: "hang" }] });
  let isAnswered = false;
  const waiting = send(stuck, slow).finally(() => {
    isAnswered = true;
  });
  await expect.poll(() => stuck.calls()).toBe(1);
  expect(await send(openApi(), quick)).toMatchObject({ status: 200 });
  expect(isAnswered).toBe(false);
  expect(await waiting).toMatchObject({ status: 503 });
}, 40_000);
