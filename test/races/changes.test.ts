import { expect, inject, test } from "vitest";
import type { Change } from "../../src/changes/model.ts";
import { followChanges } from "../changes/helpers.ts";
import { historyOf, keyOf } from "../changes/history.ts";
import { leaseDaemon } from "../helpers/daemons.ts";
import { enter, sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintDaemon } from "../helpers/organization.ts";
import { atOnce } from "./race.ts";

const writers = 16;
const readers = 4;
/** How many hosts an import has. */
const imported = 20;
/** With `RACE_SECONDS`, one race of so long in place of rounds. */
const seconds = inject("raceSeconds");

const pause = (atMost: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * atMost));

const address = () => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 250)).join(".")}`;

async function openScene() {
  const inventory = await openInventory();
  const { organization, network_id, send } = inventory;
  const daemon = await mintDaemon(organization.id, network_id);
  const { poll_generation } = await leaseDaemon(daemon);
  const hosts: string[] = [];
  const newHost = () => ({
    network_id,
    name: "host",
    ports: [1, 2].map((number) => ({
      number: number + Math.floor(Math.random() * 60_000),
      protocol: "Tcp",
    })),
  });
  const create = async () => {
    const id = crypto.randomUUID();
    const { status } = await send("POST", "hosts", { id, ...newHost() });
    if (status === 201) {
      hosts.push(id);
    }
  };
  const some = () => hosts[Math.floor(Math.random() * hosts.length)] ?? crypto.randomUUID();
  const report = (count: number) => ({
    hosts: Array.from({ length: count }, () => ({
      addresses: [{ ip_address: address() }],
      ports: [{ number: 80, protocol: "Tcp", service: { name: "Web" } }],
    })),
  });
  /** What each of the writers does, again and again. */
  const acts: readonly (() => Promise<unknown>)[] = [
    create,
    () => send("PUT", `hosts/${some()}`, { ...newHost(), name: `host ${Math.random()}` }),
    () => send("PATCH", `hosts/${some()}`, { name: `host ${Math.random()}` }),
    () => send("DELETE", `hosts/${hosts.shift() ?? some()}`),
    () => send("POST", "hosts/bulk", [newHost(), newHost(), newHost()]),
    () => send("POST", `networks/${network_id}/imports`, report(imported)),
    () => send("POST", "hosts/bulk-delete", [some()]),
    // What dies within its transaction.
    () =>
      sql
        .transaction([
          enter(organization.keys.member),
          sql`insert into hosts (organization_id, network_id, name)
            values (${organization.id}, ${network_id}, 'dies')`,
          sql`select 1 / (random() * 0)::int`,
        ])
        .catch(() => {}),
    () =>
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
      ]),
  ];
  await atOnce(4, create);
  return { inventory, organization, acts };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** All writers at the same time, each so often, while readers do what they do until all is quiet. */
async function race<Read>(
  { acts }: Scene,
  isOver: (times: number) => boolean,
  read: (isWriting: () => boolean) => Promise<Read>,
): Promise<Read[]> {
  let isWriting = true;
  const reading = atOnce(readers, () => read(() => isWriting));
  await atOnce(writers, async (writer) => {
    for (let times = 0; !isOver(times); times++) {
      await acts[writer % acts.length]?.();
      await pause(5);
    }
  }).finally(() => {
    isWriting = false;
  });
  return reading;
}

/** Follows a cursor with pauses until nothing more can come. */
async function follow({ inventory }: Scene, cursor: string, isWriting: () => boolean) {
  const get = (path: string) => inventory.send("GET", path);
  const collected: Change[] = [];
  let next = cursor;
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting();
    const limit = String(1 + Math.floor(Math.random() * 200));
    const { changes, cursor: reached } = await followChanges(get, { cursor: next, limit });
    collected.push(...changes);
    next = reached;
    await pause(20);
  }
  return collected;
}

test("what readers collect while sixteen write is the history, each change once and in order", {
  timeout: 60_000 + seconds * 1500 + inject("raceRounds") * 2000,
}, async () => {
  const rounds = seconds > 0 ? 1 : Math.max(1, Math.round(inject("raceRounds") / 25));
  for (let round = 1; round <= rounds; round++) {
    const scene = await openScene();
    const { changes: before, cursor } = await followChanges((path) =>
      scene.inventory.send("GET", path),
    );
    const ends = Date.now() + seconds * 1000;
    const isOver = (times: number) => (seconds > 0 ? Date.now() > ends : times === 3);
    const collected = await race(scene, isOver, (isWriting) => follow(scene, cursor, isWriting));
    const history = await historyOf(scene.organization.id);
    expect(history.length).toBeGreaterThan(before.length);
    for (const changes of collected) {
      expect([...before, ...changes].map(keyOf)).toEqual(history);
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
          { ...scene, acts: scene.acts.filter((_act, at) => [0, 4, 5].includes(at)) },
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
