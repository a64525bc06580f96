import { inject } from "vitest";
import { leaseDaemon } from "../helpers/daemons.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintEmptyNetwork, openInventory } from "../helpers/inventory.ts";
import { mintDaemon } from "../helpers/organization.ts";
import { randomOf } from "../model/random.ts";
import { raiseScanner } from "../model/scanner.ts";
import { atOnce } from "./race.ts";

/** The duration of the race, which replaces the rounds if `RACE_SECONDS` is set. */
const seconds = inject("raceSeconds");
/** The number of hosts in an import. */
const imported = seconds > 0 ? 2000 : 20;
/** The number of writes by each writer in a round. */
const timesOfRound = 3;

export const below = (bound: number): number => Math.floor(Math.random() * bound);

/** Waits for a random time of at most this many milliseconds. */
export const pause = (atMost: number): Promise<unknown> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * atMost));

const address = () => `10.${below(250)}.${below(250)}.${below(250)}`;

/**
 * Creates an organization, and returns the actions that change its inventory.
 * @param variables overrides for the configuration
 */
export async function openWriters(variables: Record<string, unknown> = {}) {
  const inventory = await openInventory(variables);
  const { api, organization, network_id } = inventory;
  const daemon = await mintDaemon(organization.id, network_id);
  const { poll_generation } = await leaseDaemon(daemon);
  // The lease must last longer than the race.
  await sql`update daemons set lease_expires_at = now() + interval '1 day' where id = ${daemon}`;
  const scanner = await raiseScanner(organization, organization.networks[0].id, variables);
  const random = randomOf(crypto.randomUUID());
  const hosts: string[] = [];

  /**
   * Sends a request. It may conflict with another request, or exceed its deadline if the imports
   * are large. Any other failure is an error.
   */
  const send = async (method: string, path: string, json?: unknown) => {
    const { owner } = organization.keys;
    const answer = await api.send(method, `/api/v1/${path}`, { key: owner, json });
    if (answer.status >= 500 && !(seconds > 0 && answer.status === 503)) {
      throw new Error(`${method} ${path}: ${answer.text}`);
    }
    return answer;
  };
  const some = () => hosts[below(hosts.length)] ?? crypto.randomUUID();
  const newHost = () => ({
    network_id,
    name: `host ${Math.random()}`,
    ports: [1, 2].map((number) => ({ number: number + below(60_000), protocol: "Tcp" })),
  });
  const create = async () => {
    const id = crypto.randomUUID();
    if ((await send("POST", "hosts", { id, ...newHost() })).status === 201) {
      hosts.push(id);
    }
  };
  const replace = () => send("PUT", `hosts/${some()}`, newHost());
  const rename = () => send("PATCH", `hosts/${some()}`, { name: `host ${Math.random()}` });
  const createThree = () => send("POST", "hosts/bulk", [newHost(), newHost(), newHost()]);
  const remove = () => send("DELETE", `hosts/${hosts.shift() ?? some()}`);
  const removeThree = () => send("POST", "hosts/bulk-delete", hosts.splice(0, 3));
  /**
   * Imports different hosts each time; large imports repeat the same hosts with a few changed
   * ports.
   */
  const importHosts = () =>
    send("POST", `networks/${network_id}/imports`, {
      hosts: Array.from({ length: imported }, (_, at) => ({
        addresses: [{ ip_address: seconds > 0 ? `172.16.${at >> 8}.${at & 255}` : address() }],
        ports: [{ number: below(50) === 0 ? 443 : 80, protocol: "Tcp", service: { name: "Web" } }],
        scanned_ports: [{ protocol: "Tcp", from: 1, to: 1000 }],
      })),
    });
  const removeNetwork = async () => {
    const network = await mintEmptyNetwork(organization.id);
    await send(
      "POST",
      "hosts/bulk",
      [1, 2, 3].map(() => ({ ...newHost(), network_id: network })),
    );
    await send("DELETE", `networks/${network}?cascade=true`);
  };
  const seeHost = () =>
    sql.transaction([
      sql`set local role inventory_poller`,
      sql`select app.enter_visit(${organization.id}, ${daemon}, ${poll_generation})`,
      sql`select app.ingest_visit(${network_id}, ${JSON.stringify({
        observed_at: null,
        subnets: [],
        hosts: [{ index: 0, details: {}, ranks: {}, fallback_name: "seen", scan: null }],
        addresses: [{ index: 0, position: 0, ip: address() }],
        ports: [],
        services: [],
        bindings: [],
        scans: [],
      })}::jsonb)`,
    ]);
  /** Makes a change in a transaction that fails at its last statement. */
  const die = (last: string) => async () => {
    const ends = sql.transaction([
      enter(organization.keys.member),
      sql`insert into hosts (organization_id, network_id, name)
        values (${organization.id}, ${network_id}, 'dies')`,
      sql`reset role`,
      sql.query(last),
    ]);
    if (
      await ends.then(
        () => true,
        () => false,
      )
    ) {
      throw new Error(`It should have died: ${last}`);
    }
  };

  await atOnce(4, create);
  return {
    inventory,
    organization,
    /** The action that each of the sixteen writers repeats. */
    acts: [
      ...[create, create, replace, replace, rename, rename, createThree],
      ...[remove, removeThree, removeNetwork, importHosts, importHosts],
      ...[seeHost, () => scanner.step(random)],
      ...[
        die("select 1 / (random() * 0)::int"),
        die("select pg_terminate_backend(pg_backend_pid())"),
      ],
    ] satisfies (() => Promise<unknown>)[],
    /** The actions of sixteen more writers, which only create hosts. */
    creating: [create, createThree, importHosts, seeHost].flatMap((act) => [act, act, act, act]),
  };
}

export type Writers = Awaited<ReturnType<typeof openWriters>>;

/**
 * Runs all writers concurrently for a while, and the readers until the writers have finished.
 * @param read reads while there are writers, and once more afterwards
 */
export async function race<Read>(
  acts: readonly (() => Promise<unknown>)[],
  readers: number,
  read: (isWriting: () => boolean) => Promise<Read>,
): Promise<Read[]> {
  let isWriting = true;
  const endsAt = Date.now() + seconds * 1000;
  const isOver = (times: number) => (seconds > 0 ? Date.now() > endsAt : times === timesOfRound);
  const writing = acts.map(async (act) => {
    for (let times = 0; !isOver(times); times++) {
      await act();
      await pause(5);
    }
  });
  const [results] = await Promise.all([
    atOnce(readers, () => read(() => isWriting)),
    Promise.all(writing).finally(() => {
      isWriting = false;
    }),
  ]);
  return results;
}
