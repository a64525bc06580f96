import * as z from "zod";
import type { Behavior } from "./daemon-behavior.ts";
import { leaseDaemon, raiseDaemon } from "./daemons.ts";
import { mintOrganization, type Organization } from "./organization.ts";
import { openPoller } from "./poller.ts";

/** A response in the envelope. */
export const answered = (data: unknown): Behavior => ({
  kind: "answer",
  body: JSON.stringify({ success: true, data }),
});

/** The empty report of a poll. */
export const nothing = { progress: null, entities: { hosts: [], subnets: [] } };

const newId = () => crypto.randomUUID();
const nil = "00000000-0000-0000-0000-000000000000";

/** A subnet as a daemon reports it. */
export const wireSubnet = (network_id: string, cidr: string, values: object = {}) => ({
  id: newId(),
  network_id,
  cidr,
  name: cidr,
  description: null,
  subnet_type: "Unknown",
  source: { type: "Discovery", metadata: [] },
  tags: [],
  ...values,
});

/** A host as a daemon reports it: one address, and an unclaimed service on each open port. */
export function wireHost(
  network_id: string,
  ip_address: string,
  openPorts: readonly number[] = [],
  values: object = {},
) {
  const address = newId();
  const ports = openPorts.map((number) => ({
    id: newId(),
    host_id: nil,
    network_id: nil,
    number,
    protocol: "Tcp",
    type: "Custom",
  }));
  return {
    host: {
      id: newId(),
      network_id,
      name: ip_address,
      hostname: null,
      description: null,
      ...values,
    },
    ip_addresses: [
      { id: address, host_id: nil, network_id, ip_address, mac_address: null, position: 0 },
    ],
    ports,
    services:
      ports.length === 0
        ? []
        : [
            {
              id: newId(),
              service_definition: "Unclaimed Open Ports",
              name: "Unclaimed Open Ports",
              bindings: ports.map((port) => ({
                id: newId(),
                type: "Port",
                port_id: port.id,
                ip_address_id: address,
              })),
            },
          ],
    interfaces: [],
    subnets: [],
  };
}

/** Scan progress as a daemon reports it. */
export const wireProgress = (
  session_id: string,
  phase: string,
  progress = 0,
  values: object = {},
) => ({
  session_id,
  daemon_id: null,
  phase,
  progress,
  error: null,
  hosts_discovered: null,
  estimated_remaining_secs: null,
  ...values,
});

const confirmation = z.object({
  hosts: z.array(z.tuple([z.string(), z.looseObject({ id: z.string() })])),
  subnets: z.array(z.tuple([z.string(), z.looseObject({ id: z.string() })])),
});

/**
 * A daemon that speaks the protocol, and a poller that polls it.
 * @param given the organization whose first network the daemon is on; by default, a new one
 */
export async function raiseScanner(variables: Record<string, unknown> = {}, given?: Organization) {
  const organization = given ?? (await mintOrganization());
  const [network] = organization.networks;
  const poller = openPoller(variables);
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url }, organization);
  const routes: Record<string, Behavior> = {};
  const behave = async (changes: Readonly<Record<string, Behavior>>) => {
    Object.assign(routes, changes);
    await daemon.behave({ kind: "routes", routes });
  };
  await behave({ poll: answered(nothing) });
  return {
    id,
    organization,
    network,
    networkId: network.id,
    poller,
    daemon,
    behave,
    /** Sets the report for the next polls. */
    report: (report: { progress?: unknown; hosts?: unknown[]; subnets?: unknown[] }) =>
      behave({
        poll: answered({
          progress: report.progress ?? null,
          entities: { hosts: report.hosts ?? [], subnets: report.subnets ?? [] },
        }),
      }),
    /** Polls the daemon as a cycle and a consumer do. */
    visit: async () => poller.poll(await leaseDaemon(id)),
    /** The bodies of the requests that it received for a path below `/api/`. */
    async got(path: string): Promise<unknown[]> {
      return (await daemon.calls())
        .filter((call) => call.path?.endsWith(`/api/${path}`))
        .map(({ body }) => (body === undefined ? null : JSON.parse(body)));
    },
    /** The last confirmation. */
    async confirmed() {
      return confirmation.parse((await this.got("discovery/entities-created")).at(-1));
    },
  };
}

export type Scanner = Awaited<ReturnType<typeof raiseScanner>>;
