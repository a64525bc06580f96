import { compare } from "./measure.ts";
import { recorded, sumMs, turns } from "./query-cost.ts";
import { atMost, digits, type Row, shown } from "./row.ts";
import { type Databases, largest, ordinary, type Scene } from "./scene.ts";

/**
 * The gate and row level security, against the same text of the same queries without: as the owner,
 * on views that hold the organization's rows and nothing else.
 */
async function securityRow(
  scene: Scene,
  { million }: Databases,
  { name, path, key }: { name: string; path: string; key: string },
): Promise<Row> {
  const { client } = million;
  const { gate, asked } = await recorded(million, path, key);
  // The reference knows how many rows its organization has, and would be given more processes.
  await client.query("set max_parallel_workers_per_gather = 0");
  const { rows } = await client.query<{ organization_id: string }>(gate.query, gate.params);
  const id = rows[0]?.organization_id ?? "";
  await client.query(
    `create schema without; ${tenantTables
      .map(
        (table) =>
          `create view without.${table} as select * from public.${table} where organization_id = '${id}'`,
      )
      .join("; ")}`,
  );
  try {
    const found = await compare(
      turns(scene),
      async () => {
        await client.query("begin");
        const milliseconds = await sumMs(client, [gate, ...asked]);
        await client.query("commit");
        return milliseconds;
      },
      async () => {
        await client.query("begin; set local search_path = without");
        const milliseconds = await sumMs(client, asked);
        await client.query("commit");
        return milliseconds;
      },
    );
    return {
      what: `gate and row level security, against the same queries without: ${name}`,
      ours: shown(found.ours, "ms"),
      reference: shown(found.reference, "ms"),
      value: found.ratio.median,
      unit: "×",
      spread: found.ratio.spread,
      bound: atMost(1.5),
      note: `${digits(found.ours.median - found.reference.median)} ms more`,
    };
  } finally {
    await client.query("drop schema without cascade; reset max_parallel_workers_per_gather");
  }
}

const tenantTables = [
  "bindings",
  "credentials",
  "credential_tags",
  "credential_networks",
  "credential_hosts",
  "credential_host_ip_addresses",
];

/** What the gate and row level security cost in Postgres. */
export async function securityRows(scene: Scene, databases: Databases): Promise<Row[]> {
  return [
    await securityRow(scene, databases, {
      name: "bindings of the largest organization",
      path: "bindings",
      key: largest,
    }),
    await securityRow(scene, databases, {
      name: "bindings of an ordinary one",
      path: "bindings",
      key: ordinary,
    }),
    await securityRow(scene, databases, {
      name: "credentials of an ordinary one",
      path: "credentials",
      key: ordinary,
    }),
  ];
}
