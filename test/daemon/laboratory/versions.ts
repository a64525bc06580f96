import { readRunning } from "../../../drizzle/local/running.ts";

/** The tables with history, each with an expression for a record's label. */
const kinds = {
  hosts: "row.name",
  subnets: "row.cidr::text",
  ip_addresses: "host(row.address)",
  ports: "concat(row.number, '/', row.protocol)",
  services: "row.name",
  bindings: `(select concat_ws(' ', service.name, port.number || '/' || port.protocol, host(address.address))
    from services as service
      left join ports as port on port.live_id = row.port_id
      left join ip_addresses as address on address.live_id = row.ip_address_id
    where service.live_id = row.service_id limit 1)`,
} as const;

type Kind = keyof typeof kinds;

/**
 * Columns whose changes are not considered changes to the record: bookkeeping columns, and columns
 * derived from other records.
 */
const silent =
  /^(id|created_at|updated_at|revision|last_seen_at|valid_(from|to)|(first|last)_discovery_id|lineage_id|live_.*|current_id|searchable|searchable_.*|evidence|discovered)$/;

/** A change to a record in history. */
export interface Event {
  kind: Kind;
  /** The record's live id. */
  id: string;
  label: string;
  /**
   * The live id of the record's host, or of the record itself if it is a host; null for a subnet.
   */
  host: string | null;
  at: string;
  what: "created" | "ended" | "changed";
  /** For a change: each changed column, with its values before and after. */
  changes: Record<string, { from: unknown; to: unknown }>;
}

interface Version {
  label: string;
  row: Record<string, unknown> & {
    live_id: string;
    host_id?: string | null;
    valid_from: string;
    valid_to: string | null;
  };
}

/**
 * Returns all changes in a network's history, ordered by time.
 * @param folder the running service's data folder
 */
export async function historyOf(folder: string, networkId: string): Promise<Event[]> {
  const events: Event[] = [];
  for (const [kind, label] of Object.entries(kinds) as [Kind, string][]) {
    const rows = await query(
      folder,
      `select to_jsonb(row), ${label} from ${kind} as row
        where network_id = $1 order by row.live_id, row.valid_from`,
      [networkId],
    );
    const versions = rows.map(
      ([row = "", label = "?"]): Version => ({ row: JSON.parse(row), label }),
    );
    let before: Version | undefined;
    for (const [index, version] of versions.entries()) {
      const { row, label } = version;
      const isNew = before?.row.live_id !== row.live_id;
      const host = kind === "hosts" ? row.live_id : (row.host_id ?? null);
      const common = { kind, id: row.live_id, label, host };
      if (isNew || before === undefined || before.row.valid_to !== row.valid_from) {
        if (!isNew && before?.row.valid_to) {
          events.push({ ...common, at: before.row.valid_to, what: "ended", changes: {} });
        }
        events.push({ ...common, at: row.valid_from, what: "created", changes: {} });
      } else {
        events.push({
          ...common,
          at: row.valid_from,
          what: "changed",
          changes: between(before.row, row),
        });
      }
      if (row.valid_to !== null && versions[index + 1]?.row.live_id !== row.live_id) {
        events.push({ ...common, at: row.valid_to, what: "ended", changes: {} });
      }
      before = version;
    }
  }
  return events.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function between(before: Version["row"], after: Version["row"]): Event["changes"] {
  return Object.fromEntries(
    Object.keys(after)
      .filter((column) => !silent.test(column))
      .filter((column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]))
      .map((column) => [column, { from: before[column], to: after[column] }]),
  );
}

/** Queries the local database as the Worker does. Returns rows as arrays of strings. */
async function query(folder: string, text: string, params: string[]): Promise<string[][]> {
  const running = await readRunning(folder);
  const response = await fetch(running?.endpoint ?? "", {
    method: "POST",
    headers: {
      "neon-connection-string": running?.connectionString ?? "",
      "neon-raw-text-output": "true",
      "neon-array-mode": "true",
    },
    body: JSON.stringify({ query: text, params }),
  });
  const { rows, message } = Object(await response.json());
  if (!response.ok) {
    throw new Error(`The local database says: ${message}`);
  }
  return rows;
}
