import { beforeAll, describe, expect, inject, test } from "vitest";
import * as z from "zod";
import { sql } from "../helpers/database.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { recountRecords } from "../helpers/record-counts.ts";
import { atOnce } from "./race.ts";

/** The number of ports, services and bindings of each host. */
const parts = 5;
const writers = 4;
const { hosts, limit } = inject("walks");

/** Inserts hosts with their bindings directly: requests would take longer than the walks. */
async function fillNetwork({ organization: { id }, network_id }: Inventory): Promise<void> {
  const columns = sql`organization_id, network_id, created_at, updated_at, last_seen_at, valid_from`;
  // Several hosts have the same timestamps.
  const values = sql`${id}::uuid, ${network_id}::uuid, moment, moment, moment, moment`;
  const ofParts = sql`from hosts, generate_series(1, ${parts}::int) as number, lateral (
    select hosts.created_at as moment) as its
    where hosts.organization_id = ${id} and hosts.network_id = ${network_id}`;
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`insert into hosts (${columns}, name)
      select ${values}, 'Host ' || number from generate_series(1, ${hosts}::int) as number,
        lateral (select timestamptz '2026-01-01' + number / 3 * interval '1 s' as moment) as its`,
    sql`insert into ports (${columns}, host_id, number, protocol)
      select ${values}, hosts.id, number, 'Tcp' ${ofParts}`,
    sql`insert into services (${columns}, host_id, name, service_definition)
      select ${values}, hosts.id, 'Service ' || number, 'Custom' ${ofParts}`,
    sql`insert into bindings (${columns}, host_id, type, service_id, port_id)
      select ports.organization_id, ports.network_id, ports.created_at, ports.created_at,
        ports.created_at, ports.created_at, ports.host_id, 'Port', services.id, ports.id
      from ports join services on services.host_id = ports.host_id
        and services.name = 'Service ' || ports.number
      where ports.organization_id = ${id} and ports.network_id = ${network_id}`,
    sql.query(recountRecords, [id]),
  ]);
  await sql`analyze hosts, ports, services, bindings`;
}

const end = z.object({
  end: z.object({ at: z.string(), next_cursor: z.string().nullable() }),
});
const part = z.looseObject({ name: z.string() });

/** The record fields that are compared. Changes to them start new versions. */
const compared = {
  hosts: z
    .object({ id: z.string(), name: z.string(), services: z.array(part) })
    .transform(({ id, name, services }) =>
      [id, name, ...services.map((service) => service.name)].join(" "),
    ),
  bindings: z
    .object({ id: z.string(), service_id: z.string(), port_id: z.string().nullable() })
    .transform(({ id, service_id, port_id }) => [id, service_id, port_id].join(" ")),
};
type Kind = keyof typeof compared;

/** The records at an instant according to the database, independently of the API. */
const truth = {
  hosts: (id: string, at: string) => sql`
    select concat_ws(' ', hosts.live_id, hosts.name, (
      select string_agg(services.name, ' ' order by services.position, services.created_at, services.live_id)
      from services where services.organization_id = ${id} and services.host_id = hosts.live_id
        and services.valid_from <= ${at}::timestamptz
        and coalesce(services.valid_to, 'infinity') > ${at}::timestamptz)) as compared
    from hosts where hosts.organization_id = ${id} and hosts.valid_from <= ${at}::timestamptz
      and coalesce(hosts.valid_to, 'infinity') > ${at}::timestamptz
    order by hosts.created_at, hosts.live_id`,
  bindings: (id: string, at: string) => sql`
    select concat_ws(' ', live_id, service_id, port_id) as compared
    from bindings where organization_id = ${id} and valid_from <= ${at}::timestamptz
      and coalesce(valid_to, 'infinity') > ${at}::timestamptz
    order by created_at, live_id`,
};

interface Walked {
  at: string;
  records: string[];
  pages: number;
}

/**
 * Reads all records of one kind page by page.
 * @param nextOf returns the query for the next page, or null after the last page
 */
async function walk(
  { api, organization }: Pick<Inventory, "api" | "organization">,
  kind: Kind,
  nextOf: (cursor: string | null, count: number) => string | null,
): Promise<Walked> {
  const records: string[] = [];
  let at = "";
  let pages = 0;
  for (let next: string | null = ""; next !== null; pages++) {
    const { status, text } = await api.send("GET", `/api/v1/${kind}?limit=${limit}${next}`, {
      key: organization.keys.viewer,
      headers: { Accept: "application/x-ndjson" },
    });
    if (status === 400 && pages === 1 && text.includes("began during a long change")) {
      // If the transaction takes longer than the first page waits, the contract says to start the
      // walk again.
      return await walk({ api, organization }, kind, nextOf);
    }
    expect(status, text.slice(0, 500)).toBe(200);
    const lines = text.trimEnd().split("\n");
    const last = end.parse(JSON.parse(lines.pop() ?? "")).end;
    records.push(...lines.map((line) => compared[kind].parse(JSON.parse(line))));
    at ||= last.at;
    next = nextOf(last.next_cursor, lines.length === 0 ? 0 : records.length);
  }
  return { at, records, pages };
}

const byCursor = (cursor: string | null) => (cursor === null ? null : `&cursor=${cursor}`);
const byOffset = (_: string | null, count: number) =>
  count === 0 || count % limit > 0 ? null : `&offset=${count}`;

/** Renames, deletes and creates hosts, and binds services to all ports, until it is stopped. */
function startWriting({ send, organization, network_id }: Inventory) {
  let isWriting = true;
  const statuses = new Map<string, number>();
  const write = async (method: string, path: string, json?: unknown) => {
    const { status, text } = await send(method, path, json);
    const isExpected = [200, 201, 503].includes(status);
    const name = `${method} ${path.replace(/\/.*/, "")} ${status}${isExpected ? "" : ` ${text}`}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
  };
  // The organization also has hosts on other networks.
  const done = sql`select id from hosts where organization_id = ${organization.id}
    and network_id = ${network_id} and valid_to is null order by md5(id::text)`.then((rows) => {
    const ids = rows.map(({ id }) => String(id));
    return atOnce(writers, async () => {
      for (let number = 0; isWriting && ids.length > 2; number++) {
        const [renamed, deleted] = ids.splice(0, 2);
        const port = crypto.randomUUID();
        await write("PATCH", `hosts/${renamed}`, { name: `Renamed ${number}` });
        await write("DELETE", `hosts/${deleted}`);
        await write("POST", "hosts", {
          ...{ network_id, name: `New ${number}` },
          ports: [{ id: port, number: 443, protocol: "Tcp" }],
          services: [
            { name: "New", bindings: [{ type: "Port", port_id: port, ip_address_id: null }] },
          ],
        });
        const other = crypto.randomUUID();
        await write("PUT", `hosts/${renamed}`, {
          ...{ network_id, name: `Replaced ${number}` },
          ports: [{ id: other, number: 80, protocol: "Tcp" }],
          services: [
            { name: "Other", bindings: [{ type: "Port", port_id: other, ip_address_id: null }] },
          ],
        });
      }
    });
  });
  return {
    async stop() {
      isWriting = false;
      await done;
      return Object.fromEntries(statuses);
    },
  };
}

describe(`walks over ${hosts} hosts and ${hosts * parts} bindings while ${writers} writers write`, () => {
  let inventory: Inventory;
  let walks: { kind: Kind; design: Walked; naive: Walked }[];

  beforeAll(async () => {
    inventory = await openInventory();
    await fillNetwork(inventory);
    const writing = startWriting(inventory);
    const startedAt = performance.now();
    walks = await Promise.all(
      (["hosts", "bindings"] as const).map(async (kind) => {
        const [design, naive] = await Promise.all([
          walk(inventory, kind, byCursor),
          walk(inventory, kind, byOffset),
        ]);
        return { kind, design, naive };
      }),
    );
    const written = await writing.stop();
    console.log(
      JSON.stringify({
        ms: performance.now() - startedAt,
        walks: walks.map(({ kind, design }) => [kind, design.records.length, design.pages]),
        written,
      }),
    );
    // A busy machine may reject writes with 503; nothing else may fail.
    const refused = Object.keys(written).filter((name) => !/ (200|201|503)$/.test(name));
    expect(refused).toEqual([]);
    expect(Object.keys(written)).toEqual(
      expect.arrayContaining(["PATCH hosts 200", "PUT hosts 200", "DELETE hosts 200"]),
    );
  }, 1_200_000);

  test.each(["hosts", "bindings"] as const)(
    "with cursors return %s as of the start of the walk",
    async (kind) => {
      const design = walks.find((one) => one.kind === kind)?.design;
      const rows = await truth[kind](inventory.organization.id, design?.at ?? "");
      expect(rows.length).toBeGreaterThan(hosts / 2);
      expect(design?.records).toEqual(rows.map((row) => String(row["compared"])));
    },
  );

  test.each(["hosts", "bindings"] as const)("with offsets return different %s", async (kind) => {
    const naive = walks.find((one) => one.kind === kind)?.naive;
    const rows = await truth[kind](inventory.organization.id, naive?.at ?? "");
    expect(naive?.records).not.toEqual(rows.map((row) => String(row["compared"])));
  });
});
