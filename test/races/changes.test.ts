import { expect, inject, test } from "vitest";
import { followChanges } from "../changes/helpers.ts";
import { historyOf, keyOf } from "../changes/history.ts";
import { leaseDaemon } from "../helpers/daemons.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintEmptyNetwork, openInventory } from "../helpers/inventory.ts";
import { mintDaemon } from "../helpers/organization.ts";
import { randomOf } from "../model/random.ts";
import { raiseScanner } from "../model/scanner.ts";
import { atOnce } from "./race.ts";

const readers = 4;
/** With `RACE_SECONDS`, one race of so long in place of rounds. */
const seconds = inject("raceSeconds");
/** How many hosts an import has. */
const imported = seconds > 0 ? 2000 : 20;
/** The most changes of a page. */
const largestPage = seconds > 0 ? 1000 : 200;

const below = (bound: number) => Math.floor(Math.random() * bound);

const pause = (below: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * below));

const address = () => `10.${below(250)}.${below(250)}.${below(250)}`;

async function openScene() {
  const inventory = await openInventory();
  const { api, organization, network_id } = inventory;
  const daemon = await mintDaemon(organization.id, network_id);
  const { poll_generation } = await leaseDaemon(daemon);
  const scanner = await raiseScanner(organization, organization.networks[0].id);
  const random = randomOf(crypto.randomUUID());
  const hosts: string[] = [];

  /** Sends a request, which may meet another one but not fail. */
  const send = async (method: string, path: string, json?: unknown) => {
    const { owner } = organization.keys;
    const answer = await api.send(method, `/api/v1/${path}`, { key: owner, json });
    if (answer.status >= 500) {
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
  /** Other hosts each time, or where they are many the same with a few other ports. */
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
  /** Changes something in a transaction that ends with what lets it die. */
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
    /** What each of the sixteen writers does, again and again. */
    acts: [
      ...[create, create, replace, replace, rename, rename, createThree],
      ...[remove, removeThree, removeNetwork, importHosts, importHosts],
      ...[seeHost, () => scanner.step(random)],
      ...[
        die("select 1 / (random() * 0)::int"),
        die("select pg_terminate_backend(pg_backend_pid())"),
      ],
    ] satisfies (() => Promise<unknown>)[],
    /** What begins hosts. */
    creating: [create, createThree, importHosts],
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** All writers at the same time, each so often, while readers do what they do until all is quiet. */
async function race<Read>(
  acts: readonly (() => Promise<unknown>)[],
  isOver: (times: number) => boolean,
  read: (isWriting: () => boolean) => Promise<Read>,
): Promise<Read[]> {
  let isWriting = true;
  const reading = atOnce(readers, () => read(() => isWriting));
  await Promise.all(
    acts.map(async (act) => {
      for (let times = 0; !isOver(times); times++) {
        await act();
        await pause(5);
      }
    }),
  ).finally(() => {
    isWriting = false;
  });
  return reading;
}

/** Follows a cursor with pauses until nothing more can come. Returns the changes, each as `keyOf`. */
async function follow({ inventory }: Scene, cursor: string, isWriting: () => boolean) {
  const get = (path: string) => inventory.send("GET", path);
  const collected: string[] = [];
  let next = cursor;
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting();
    const limit = String(1 + below(largestPage));
    const { changes, cursor: reached } = await followChanges(get, { cursor: next, limit });
    collected.push(...changes.map(keyOf));
    next = reached;
    await pause(20);
  }
  return collected;
}

/** Where two lists differ first; undefined where they are the same. A whole difference would be too long to show. */
function firstDifference(found: readonly string[], expected: readonly string[]) {
  const length = Math.max(found.length, expected.length);
  for (let at = 0; at < length; at++) {
    if (found[at] !== expected[at]) {
      return { at, found: found.slice(at, at + 5), expected: expected.slice(at, at + 5) };
    }
  }
  return undefined;
}

test("what readers collect while sixteen write is the history, each change once and in order", {
  timeout: 60_000 + seconds * 2000 + inject("raceRounds") * 2000,
}, async () => {
  const rounds = seconds > 0 ? 1 : Math.max(1, Math.round(inject("raceRounds") / 25));
  for (let round = 1; round <= rounds; round++) {
    const scene = await openScene();
    const { changes: before, cursor } = await followChanges((path) =>
      scene.inventory.send("GET", path),
    );
    const ends = Date.now() + seconds * 1000;
    const isOver = (times: number) => (seconds > 0 ? Date.now() > ends : times === 3);
    const collected = await race(scene.acts, isOver, (isWriting) =>
      follow(scene, cursor, isWriting),
    );
    const history = (await historyOf(scene.organization.id)).slice(before.length);
    expect(history.length).toBeGreaterThan(100);
    for (const changes of collected) {
      expect(firstDifference(changes, history), `round ${round}`).toBe(undefined);
    }
  }
});

/** What only looks how far what it has read goes: a select of `id` and `place`, of hosts that begin. */
const naive = {
  "a transaction's id":
    "select id, xmin::text::bigint as place from hosts where organization_id = $1 and xmin::text::bigint > $2",
  "a serial number":
    "select host_id as id, number as place from test_serials where organization_id = $1 and number > $2",
  "a timestamp":
    "select id, (extract(epoch from created_at) * 1000)::bigint as place from hosts where organization_id = $1 and created_at > to_timestamp($2 / 1000.0)",
};

test.each(Object.entries(naive))(
  "a reader who goes by %s loses hosts in such a race",
  {
    timeout: 120_000,
  },
  async (_, select) => {
    await sql.transaction([
      sql`create table if not exists test_serials (
      number bigserial primary key, organization_id uuid, host_id uuid)`,
      sql`create or replace function test_number() returns trigger language plpgsql security definer as $$
      begin insert into public.test_serials (organization_id, host_id)
        values (new.organization_id, new.id); return null; end $$`,
      sql`create or replace trigger test_number after insert on hosts
      for each row when (new.valid_to is null) execute function test_number()`,
    ]);
    try {
      let lost = 0;
      for (let round = 1; round <= 50 && lost === 0; round++) {
        const scene = await openScene();
        const seen = await race(
          // Sixteen, as above.
          Array.from(
            { length: 16 },
            (_, at) => scene.creating[at % scene.creating.length] ?? expect.fail(),
          ),
          (times) => times === 3,
          async (isWriting) => {
            const ids = new Set<string>();
            let place = 0;
            for (let isLast = false; !isLast; ) {
              isLast = !isWriting();
              for (const row of await sql.query(select, [scene.organization.id, place])) {
                ids.add(String(row["id"]));
                place = Math.max(place, Number(row["place"]));
              }
            }
            return ids;
          },
        );
        const all = await sql`select id from hosts where organization_id = ${scene.organization.id}
        and valid_to is null`;
        lost = Math.max(...seen.map((ids) => all.filter(({ id }) => !ids.has(id)).length));
      }
      expect(lost).toBeGreaterThan(0);
    } finally {
      await sql`drop function test_number() cascade`;
      await sql`drop table test_serials`;
    }
  },
);
