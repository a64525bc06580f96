import type { TestProject } from "vitest/node";
import { startContractRecorder } from "./contract-recorder.ts";
import { startDaemonFarm } from "./daemon-farm.ts";
import { offerTestDatabases } from "./test-databases.ts";

/**
 * Provides empty, migrated databases, in PGlite or on the Postgres at TEST_DATABASE_URL, and
 * daemons to poll.
 */
export default async function setup(project: TestProject) {
  const databaseUrl = process.env["TEST_DATABASE_URL"];
  const databases = await offerTestDatabases(databaseUrl);
  project.provide("databases", databases.address);
  project.onTestsRerun(() => databases.renew());
  project.provide("isRealPostgres", databaseUrl !== undefined);
  project.provide("raceRounds", Number(process.env["RACE_ROUNDS"] ?? 100));
  project.provide("raceSeconds", Number(process.env["RACE_SECONDS"] ?? 0));
  project.provide("walks", {
    hosts: Number(process.env["WALK_HOSTS"] ?? 600),
    limit: Number(process.env["WALK_LIMIT"] ?? 20),
  });
  project.provide("model", {
    seeds: (process.env["MODEL_SEEDS"] ?? "1,2,3").split(","),
    steps: Number(process.env["MODEL_STEPS"] ?? 20),
  });
  const farm = await startDaemonFarm();
  project.provide("daemonFarm", farm.address);
  project.provide("refusingDaemon", farm.refusing);
  const contract = await startContractRecorder(project);
  project.provide("contractRecorder", contract.address);
  return async () => {
    await contract.finish();
    farm.close();
    await databases.close();
  };
}
