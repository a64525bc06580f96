import { expect, test } from "vitest";
import { maximumRequestBytes } from "../../src/database/connection.ts";
import { prepareReport } from "../../src/discovery/ingest/ingest.ts";
import { inSteps } from "../../src/discovery/steps.ts";
import { importBody } from "../../src/imports/input.ts";
import { reportOf } from "../../src/imports/to-report.ts";
import { seen, unavailableWith } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { at } from "./helpers.ts";

/** Hosts with six ports each, whose services have a version of the given length. */
const hostsOf = (count: number, version: number) =>
  Array.from({ length: count }, (_, index) =>
    at(`10.0.${index >> 8}.${index & 255}`, {
      name: `host-${index}.example.com`,
      ports: [22, 80, 443, 3306, 5432, 8080].map((number) => ({
        number,
        protocol: "Tcp",
        service: { name: `service ${number}`, version: "v".repeat(version) },
      })),
    }),
  );

test("the statement for the maximum number of rows in an import is below Neon's limit", async () => {
  // 5,000 addresses, and 30,000 each of ports, services and bindings. The maximum is 100,000.
  const body = importBody.parse({ hosts: hostsOf(5000, 15) });
  const { parameter } = await inSteps(prepareReport(reportOf(body)));
  expect(JSON.stringify(parameter).length).toBeLessThan(maximumRequestBytes);
});

test("does not send an import with a larger statement, and advises sending less", async () => {
  const { id, keys } = await mintOrganization();
  const path = `/api/v1/networks/${await mintEmptyNetwork(id)}/imports`;
  const { send, calls } = openApi();
  await send("GET", "/api/v1/auth/whoami", { key: keys.member });
  const answer = await send("POST", path, {
    key: keys.member,
    json: { hosts: hostsOf(4000, 235) },
  });
  expect(seen(answer)).toEqual(unavailableWith({ outcome: "unchanged", advice: "send_less" }));
  expect(await calls()).toBe(1);
});
