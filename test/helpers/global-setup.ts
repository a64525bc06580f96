import type { TestProject } from "vitest/node";
import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { withProbes } from "../local-database/probes.ts";
import { startContractRecorder } from "./contract-recorder.ts";
import { startDaemonFarm } from "./daemon-farm.ts";
import { offerFreshDatabases } from "./fresh-databases.ts";

/**
 * Starts one empty, migrated database for all tests: PGlite in memory, or the Postgres that
 * TEST_DATABASE_URL names. Offers more of them, and daemons to poll.
 */
export default async function setup(project: TestProject) {
  const databaseUrl = process.env["TEST_DATABASE_URL"];
  // The same for all databases: tests that change to a fresh one keep their connection string.
  const password = crypto.randomUUID();
  const database = await startLocalDatabase({
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    password,
    wrap: withProbes,
  });
  await database.withClient(migrateDatabase);
  project.provide("endpoint", database.endpoint);
  project.provide("connectionString", database.connectionString);
  const freshDatabases = await offerFreshDatabases(databaseUrl, password);
  project.provide("freshDatabases", freshDatabases.address);
  project.provide("isRealPostgres", databaseUrl !== undefined);
  project.provide("raceRounds", Number(process.env["RACE_ROUNDS"] ?? 100));
  const farm = await startDaemonFarm();
  project.provide("daemonFarm", farm.address);
  project.provide("refusingDaemon", farm.refusing);
  const contract = await startContractRecorder(project);
  project.provide("contractRecorder", contract.address);
  return async () => {
    await contract.finish();
    farm.close();
    await freshDatabases.close();
    await database.close();
  };
}
