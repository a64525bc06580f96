import { expect, test } from "vitest";
import { versionStatus } from "../../src/daemons/version-status.ts";

test.each([
  ["0.12.0", "Current"],
  ["0.12.0-rc.1", "Current"],
  ["0.12.1", "Current"],
  ["v0.16.2", "Current"],
  ["1.0.0", "Current"],
  ["10.0.0+build.7", "Current"],
  ["0.11.99", "Outdated"],
  ["0.0.1", "Outdated"],
  ["v0.2.12", "Outdated"],
  [null, "Unknown"],
  ["", "Unknown"],
  ["latest", "Unknown"],
  ["0.12", "Unknown"],
  ["0.12.0.1", "Unknown"],
  ["version 0.12.0", "Unknown"],
  ["9999999999.0.0", "Unknown"],
])("the version %j is %s", (version, status) => {
  expect(versionStatus(version)).toEqual({ version, status, warnings: [] });
});
