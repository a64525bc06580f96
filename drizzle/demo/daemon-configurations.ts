import { readFile, rename, writeFile } from "node:fs/promises";
import * as z from "zod";

const configurationSchema = z.object({
  /** The TCP port on 127.0.0.1 that the daemon listens on. */
  port: z.int().min(1).max(65_535),
  /** The key that the daemon was provisioned with for that port. */
  key: z.string().min(1),
});
const configurationsSchema = z.record(z.string(), configurationSchema);

/** The persistent configuration of each demo daemon, by name. */
export type DaemonConfigurations = Map<string, z.output<typeof configurationSchema>>;

/** Name of the file in the data folder that stores the configurations. */
export const daemonConfigurationsFile = "demo-daemons.json";

/** Reads the configurations in a data folder; empty if the file is missing or damaged. */
export async function readDaemonConfigurations(folder: string): Promise<DaemonConfigurations> {
  try {
    const text = await readFile(`${folder}/${daemonConfigurationsFile}`, "utf8");
    return new Map(Object.entries(configurationsSchema.parse(JSON.parse(text))));
  } catch {
    return new Map();
  }
}

/**
 * Replaces the configurations in a data folder. Only this user can read them, since they contain
 * keys.
 */
export async function writeDaemonConfigurations(
  folder: string,
  configurations: DaemonConfigurations,
): Promise<void> {
  const file = `${folder}/${daemonConfigurationsFile}`;
  // If the process is killed while writing, the old file remains intact.
  await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(configurations)), {
    mode: 0o600,
  });
  await rename(`${file}.new`, file);
}
