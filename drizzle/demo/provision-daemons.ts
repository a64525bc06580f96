import * as z from "zod";
import demo from "../demo.json" with { type: "json" };
import { type DaemonConfigurations, writeDaemonConfigurations } from "./daemon-configurations.ts";
import type { DemoDaemon } from "./daemons.ts";

const daemonSchema = z.object({
  data: z.object({
    name: z.string(),
    network_id: z.guid(),
    tags: z.array(z.guid()),
    scan_schedule: z.object({ cron: z.string(), timezone: z.string() }).nullable(),
  }),
});
const provisionedSchema = z.object({ data: z.object({ daemon_api_key: z.string() }) });

/**
 * Provisions each demo daemon that has no key for its port yet, as a client of the API, and keeps its
 * key in the data folder. A key is bound to the port that it was made for. So a daemon whose port had
 * to change is deleted and provisioned again with what it had (API contract, section 10), except its
 * scans. A daemon that somebody has deleted stays away.
 * @param options.address the service's, such as `http://localhost:8787`
 * @param options.configurations those of the data folder, of earlier starts; changed in place
 * @param options.seedPast gives a daemon, by its id, its past; until then its key is not kept, so that
 *   a start that is killed meanwhile is made up for by the next one
 * @throws when the service refuses, with the reason that it gave
 */
export async function provisionDemoDaemons(options: {
  address: string;
  folder: string;
  daemons: readonly DemoDaemon[];
  configurations: DaemonConfigurations;
  seedPast(id: string): Promise<void>;
}): Promise<void> {
  const { address, folder, daemons, configurations, seedPast } = options;
  for (const daemon of daemons.filter(({ key }) => key === null)) {
    const { id, name, network_id, port } = daemon;
    const former = await send(`${address}/api/v1/daemons/${id}`, "GET");
    if (former === null && configurations.has(name)) {
      continue;
    }
    let said: z.output<typeof daemonSchema>["data"] | null = null;
    if (former !== null) {
      said = daemonSchema.parse(former).data;
      // Whoever is killed after the deletion must not take it for somebody else's.
      configurations.delete(name);
      await writeDaemonConfigurations(folder, configurations);
      await send(`${address}/api/v1/daemons/${id}`, "DELETE");
    }
    const url = `http://127.0.0.1:${port}`;
    const body = { id, name, network_id, ...said, url };
    const result = await send(`${address}/api/v1/daemons/provision`, "POST", body);
    await seedPast(id);
    daemon.key = provisionedSchema.parse(result).data.daemon_api_key;
    configurations.set(name, { port, key: daemon.key });
    await writeDaemonConfigurations(folder, configurations);
  }
}

/** Sends a request with the demo owner's key. Resolves to the response's JSON; null for a 404. */
async function send(url: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${demo.keys.owner}`,
      ...(body && { "Content-Type": "application/json" }),
    },
    body: body ? JSON.stringify(body) : null,
  });
  const result: unknown = await response.json();
  if (!response.ok && response.status !== 404) {
    throw new Error(`${method} ${new URL(url).pathname}: ${Object(result).error}`);
  }
  return response.ok ? result : null;
}
