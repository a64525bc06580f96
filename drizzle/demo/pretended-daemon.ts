import * as z from "zod";
import type { PretendedNetwork } from "./pretended-network.ts";
import { reportedHost, reportedSubnet } from "./pretended-report.ts";

/** The response of a demo daemon: the data of an envelope, or an error in plain text. */
export type DaemonResponse = { status: 200; data: unknown } | { status: number; refusal: string };

/** A daemon and its network. */
export interface PretendedDaemonOptions {
  name: string;
  network_id: string;
  /** The network that a scan finds; undefined if there is none. */
  network(): PretendedNetwork | undefined;
}

const contactSchema = z.object({ daemon_id: z.guid() });
const workSchema = z.object({
  session_id: z.guid(),
  discovery_id: z.guid(),
  discovery_type: z.looseObject({ subnet_ids: z.array(z.guid()).nullish() }),
});
const pairs = z.array(z.tuple([z.guid(), z.object({ id: z.guid() })]));
const confirmationSchema = z.object({ hosts: pairs, subnets: pairs });

interface Scan extends z.output<typeof workSchema> {
  started_at: string;
  /** The last reported step; null before the first step. */
  step: "subnets" | "hosts" | null;
  hosts_discovered: number;
}

/**
 * The daemon's side of the server-poll protocol, with a simulated network. Like a stock daemon, it
 * repeats its report in every poll until the report is confirmed, reports hosts only after their
 * subnets are confirmed, and reports the completion of a scan once. Each poll advances a scan by
 * one step: subnets, hosts, complete.
 */
export class PretendedDaemon {
  readonly #options: PretendedDaemonOptions;
  /** The id that the service assigned. */
  #id: string | null = null;
  #scan: Scan | null = null;
  /** Unconfirmed entities, by their ids in the report. */
  readonly #subnets = new Map<string, unknown>();
  readonly #hosts = new Map<string, unknown>();
  /**
   * Ids used in reports, by CIDR or address: generated here until the service confirms the stored
   * id.
   */
  readonly #ids = new Map<string, string>();

  constructor(options: PretendedDaemonOptions) {
    this.#options = options;
  }

  /**
   * Responds to an authenticated request.
   * @param route such as `GET poll`, relative to `/api/`
   * @param body the JSON body, not validated yet
   */
  respond(route: string, body: unknown): DaemonResponse {
    switch (route) {
      case "GET status":
        return this.#status();
      case "GET poll":
        return this.#poll();
      case "POST first-contact":
        return accept(contactSchema, body, ({ daemon_id }) => {
          this.#id = daemon_id;
          return this.#status();
        });
      case "POST discovery/initiate":
        return accept(workSchema, body, (work) => this.#initiate(work));
      case "POST discovery/entities-created":
        return accept(confirmationSchema, body, (confirmation) => this.#confirm(confirmation));
      case "POST discovery/cancel":
        return accept(z.guid(), body, (session) => this.#cancel(session));
      default:
        return { status: 404, refusal: "Not found" };
    }
  }

  #status(): DaemonResponse {
    const { name, network_id } = this.#options;
    const network = this.#options.network();
    const attached = network ? [network, { cidr: network.seeded, name: network.seeded }] : [];
    const interfaced_subnets = attached.map((subnet) =>
      reportedSubnet(this.#idOf(subnet.cidr), network_id, subnet),
    );
    const data = { version: "0.14.2", name, mode: "server_poll", ready_for_work: true };
    return { status: 200, data: { ...data, has_docker_socket: false, interfaced_subnets } };
  }

  #initiate(work: z.output<typeof workSchema>): DaemonResponse {
    if (this.#scan) {
      return { status: 409, refusal: "A scan is already running" };
    }
    this.#scan = { ...work, started_at: new Date().toISOString(), step: null, hosts_discovered: 0 };
    return { status: 200, data: { session_id: work.session_id } };
  }

  #cancel(session: string): DaemonResponse {
    if (this.#scan?.session_id !== session) {
      return { status: 409, refusal: "This scan does not run" };
    }
    this.#scan = null;
    return { status: 200, data: "Cancelled" };
  }

  #confirm({ hosts, subnets }: z.output<typeof confirmationSchema>): DaemonResponse {
    for (const [pending, { id }] of [...subnets, ...hosts]) {
      this.#subnets.delete(pending);
      this.#hosts.delete(pending);
      for (const [key, known] of this.#ids) {
        if (known === pending) {
          this.#ids.set(key, id);
        }
      }
    }
    return { status: 200, data: "Created entities acknowledged" };
  }

  #poll(): DaemonResponse {
    const progress = this.#scan && this.#advance(this.#scan);
    const entities = { hosts: [...this.#hosts.values()], subnets: [...this.#subnets.values()] };
    return { status: 200, data: { progress, entities } };
  }

  /** Advances a scan by one step, unless entities are unconfirmed. Returns its progress. */
  #advance(scan: Scan) {
    const { network_id } = this.#options;
    const network = this.#options.network();
    if (scan.step === null) {
      scan.step = "subnets";
      if (network) {
        const id = this.#idOf(network.cidr);
        this.#subnets.set(id, reportedSubnet(id, network_id, network));
      }
      return null;
    }
    if (scan.step === "subnets") {
      if (this.#subnets.size > 0) {
        return null;
      }
      scan.step = "hosts";
      const subnetIds = scan.discovery_type.subnet_ids;
      const hosts =
        network && (subnetIds?.includes(this.#idOf(network.cidr)) ?? true) ? network.hosts : [];
      for (const host of hosts) {
        const id = this.#idOf(host.ip_address);
        this.#hosts.set(id, reportedHost(id, network_id, host));
      }
      scan.hosts_discovered = hosts.length;
    } else if (this.#hosts.size === 0) {
      this.#scan = null;
      return this.#progress(scan, "Complete", 100);
    }
    return this.#progress(scan, "Scanning", 50);
  }

  #progress({ step: _, ...scan }: Scan, phase: "Scanning" | "Complete", progress: number) {
    return {
      ...scan,
      daemon_id: this.#id,
      network_id: this.#options.network_id,
      phase,
      progress,
      error: null,
      finished_at: phase === "Complete" ? new Date().toISOString() : null,
      estimated_remaining_secs: null,
    };
  }

  #idOf(key: string): string {
    const id = this.#ids.get(key) ?? crypto.randomUUID();
    this.#ids.set(key, id);
    return id;
  }
}

/** Rejects an invalid body, as a stock daemon does. */
function accept<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  respond: (body: z.output<Schema>) => DaemonResponse,
): DaemonResponse {
  const parsed = schema.safeParse(body);
  return parsed.success ? respond(parsed.data) : { status: 422, refusal: "Unprocessable body" };
}
