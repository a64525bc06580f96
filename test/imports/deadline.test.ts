import { expect, test } from "vitest";
import { importDeadlineMs } from "../../src/imports/create.ts";
import { openApi } from "../helpers/api.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { at } from "./helpers.ts";

async function openHasty() {
  const { id, keys } = await mintOrganization();
  const path = `/api/v1/networks/${await mintEmptyNetwork(id)}/imports`;
  const api = openApi({ DATABASE_DEADLINE_MS: "300" });
  return { ...api, key: keys.member, path, json: { hosts: [at("10.0.0.1")] } };
}

test("an import may take longer than other calls of the database", async () => {
  const { disturb, send, key, path, json } = await openHasty();
  await disturb({ delay_ms: 900 });
  expect(await send("GET", "/api/v1/hosts", { key })).toMatchObject({ status: 503 });
  expect(await send("POST", path, { key, json })).toMatchObject({ status: 200 });
});

test("an import is 503 at its own deadline, before Neon would end it", async () => {
  const { disturb, send, key, path, json } = await openHasty();
  await disturb({ faults: [{ kind: "hang" }] });
  const began = performance.now();
  expect(await send("POST", path, { key, json })).toMatchObject({ status: 503 });
  expect(performance.now() - began).toBeGreaterThanOrEqual(importDeadlineMs - 10);
  expect(performance.now() - began).toBeLessThan(15_000);
});
