import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod";
import type { migrateDatabase } from "../../drizzle/migrate.ts";
import { bundle, type workerSource } from "./bundle.ts";
import type { inventory } from "./inventory.ts";
import type { networkInventory } from "./network-inventory.ts";
import type { WorkerSource } from "./workerd.ts";

/** A version of the service, with its own migrations and with data for its schema. */
export interface Build {
  name: string;
  migrateDatabase: typeof migrateDatabase;
  inventory: typeof inventory;
  /** Null if the version has no hosts. */
  networkInventory: typeof networkInventory | null;
  /** The version's Worker, for workerd. */
  source(database: { endpoint: string; connectionString: string }): WorkerSource;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Opens the build of the current files. */
export const currentBuild = (): Promise<Build> => open("now", root);

/**
 * Opens the build of a commit, which is checked out into a folder that is deleted when this process
 * ends. The build shares the installed packages.
 */
export async function buildOf(commit: string): Promise<Build> {
  const folder = mkdtempSync(join(tmpdir(), "bench-commit-"));
  const git = (...values: string[]) =>
    execFileSync("git", ["-C", root, "worktree", ...values], { stdio: "pipe" });
  git("add", "--detach", folder, commit);
  process.once("exit", () => git("remove", "--force", folder));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return await open(commit, folder);
}

/** A function exported by another version, with the type of the current one. */
const exported = <Value>() => z.custom<Value>((value) => typeof value === "function");
const migrations = z.object({ migrateDatabase: exported<typeof migrateDatabase>() });
const bundles = z.object({ workerSource: exported<typeof workerSource>() });
const inventories = z.object({ inventory: exported<typeof inventory>() });
const networks = z.object({ networkInventory: exported<typeof networkInventory>() });

async function open(name: string, folder: string): Promise<Build> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
  const { workerSource } = bundles.parse(await load("test/bench/bundle.ts"));
  const built = bundle({ folder });
  const hosts = "test/bench/network-inventory.ts";
  return {
    name,
    ...migrations.parse(await load("drizzle/migrate.ts")),
    ...inventories.parse(await load("test/bench/inventory.ts")),
    networkInventory: existsSync(join(folder, hosts))
      ? networks.parse(await load(hosts)).networkInventory
      : null,
    source: (database) => workerSource(built, database),
  };
}
