import { expect, test } from "vitest";
import { ingestViolations } from "../../src/discovery/ingest/ingest.ts";
import { violations } from "../../src/inventory/writes/violations.ts";

/** What no report can violate: it makes ids that nobody has, and assigns no tags. */
const isOfRequests = (name: string) => /_pk$|_tag_fk$/.test(name);

test("a report that meets a change of what it refers to is ingested again, whatever that was", () => {
  const ofReports = Object.keys(violations).filter((name) => !isOfRequests(name));
  expect(Object.keys(ingestViolations).sort()).toEqual(ofReports.sort());
});
