import { readFile, rename, writeFile } from "node:fs/promises";
import * as z from "zod";

const configurationSchema = z.object({
  /** The TCP port of 127.0.0.1 that it listens on. */
  port: z.int().min(1).max(65_535),
  /** What provisioning returned for that port. */
  key: z.string().min(1),
});
const configurationsSchema = z.record(z.string(), configurationSchema);

/** What each demo daemon keeps from one start to the next, by its name. */
export type DaemonConfigurations = Map<string, z.output<typeof configurationSchema>>;

/** The file in the data folder. */
export const daemonConfigurationsFile = "demo-daemons.json";

/** The configurations in a data folder; none where the file is missing or damaged. */
export async function readDaemonConfigurations(folder: string): Promise<DaemonConfigurations> {
  try {
    const text = await readFile(`${folder}/${daemonConfigurationsFile}`, "utf8");
    return new Map(Object.entries(configurationsSchema.parse(JSON.parse(text))));
  } catch {
    return new Map();
  }
}

/** Replaces the configurations in a data folder. Only this user can read them: they hold keys. */
export async function writeDaemonConfigurations(
  folder: string,
  configurations: DaemonConfigurations,
): Promise<void> {
  const file = `${folder}/${daemonConfigurationsFile}`;
  // Whoever is killed meanwhile leaves the former file whole.
  await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(configurations)), {
    mode: 0o600,
  });
  await rename(`${file}.new`, file);
}
