import { openApi } from "../helpers/api.ts";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { inventoryCollections, inventorySchemas } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { raiseScanner, type Scanner } from "./scanner.ts";
import {
  type Inventory,
  meaningOf,
  type Others,
  type Seen,
  type State,
  type Version,
} from "./state.ts";

/** The name of a collection's table. */
const tableOf = (collection: string) => collection.replace("-", "_");

const otherCollections = ["networks", "tags", "credentials"] as const;

/** Creates an organization for a walk, and returns functions that read it. */
export async function openWorld() {
  const organization = await mintOrganization();
  const api = openApi();
  const key = organization.keys.owner;
  const [first, second] = organization.networks;
  let scanners: Scanner[] = await Promise.all(
    [first, first, second].map((network) => raiseScanner(organization, network.id)),
  );

  /**
   * Sends a GET. Responses are not validated against the OpenAPI document here, because validating
   * them would take longer than everything else.
   */
  async function get(path: string, headers: Record<string, string> = {}) {
    const answer = await api.open("GET", `/api/v1/${path}`, { key, headers });
    const text = await answer.text();
    return { status: answer.status, etag: answer.headers.get("ETag"), text };
  }

  /** The records in a list, with its `total_count`. */
  async function list<Item>(path: string): Promise<{ data: Item[]; total_count: number }> {
    const { status, text } = await get(path);
    if (status !== 200) {
      throw new Error(`GET ${path}: ${status} ${text}`);
    }
    const { data, meta } = JSON.parse(text);
    // The results of a search have no pages.
    return { data, total_count: meta.pagination?.total_count ?? data.length };
  }

  const whole = async <Item>(collection: string, query = ""): Promise<Item[]> =>
    (await list<Item>(`${collection}?limit=1000${query}`)).data;

  /** The lists of all kinds with history, live or at an instant. */
  async function inventory(at?: string): Promise<Inventory> {
    const query = at === undefined ? "" : `&at=${at}`;
    const lists = await Promise.all(
      inventoryCollections.map(async (name) => [name, await whole(name, query)]),
    );
    return Object.fromEntries(lists);
  }

  /** The ETags of all records, by path. */
  async function etags(): Promise<Map<string, string>> {
    const selects = [...inventoryCollections, ...otherCollections].map(
      (collection) => `
        select '${collection}/' || id as path, app.etag(created_at, revision) as etag
        from ${tableOf(collection)}
        where organization_id = $1 ${collection in inventorySchemas ? "and valid_to is null" : ""}`,
    );
    const rows = await sql.query(selects.join(" union all "), [organization.id]);
    return new Map(rows.map(({ path, etag }) => [String(path), String(etag)]));
  }

  /** The versions that began or ended after an instant. */
  const versionsSince = async (instant: string) =>
    (await sql.query(
      inventoryCollections
        .map(
          (collection) => `
            select '${collection}' as collection, id, live_id,
              ${rfc3339("valid_from")} as valid_from, ${rfc3339("valid_to")} as valid_to,
              to_jsonb(record) as row
            from ${tableOf(collection)} as record
            where organization_id = $1 and (valid_from > $2 or valid_to > $2)`,
        )
        .join(" union all "),
      [organization.id, instant],
    )) as Version[];

  /**
   * Reads everything. There must be no concurrent writers.
   * @param since the instant of the previous state
   */
  async function observe(since: string): Promise<State> {
    const [passed, versions, current, tags, networks, tagList, credentials] = await Promise.all([
      passedInstant(),
      versionsSince(since),
      inventory(),
      etags(),
      whole<Others["networks"][number]>("networks"),
      whole<Others["tags"][number]>("tags"),
      whole<Others["credentials"][number]>("credentials"),
    ]);
    const others = { networks, tags: tagList, credentials };
    const seen = new Map<string, Seen>();
    for (const collection of [...inventoryCollections, ...otherCollections]) {
      const records: readonly Seen["body"][] = { ...current, ...others }[collection];
      for (const body of records) {
        const path = `${collection}/${body.id}`;
        const etag = tags.get(path) ?? "none";
        seen.set(path, { collection, body, etag, meaning: meaningOf(body) });
      }
    }
    const last = versions.reduce(
      (latest, { valid_from, valid_to }) =>
        [latest, valid_from, valid_to ?? ""].sort().at(-1) ?? "",
      "",
    );
    let at = passed;
    while (at <= last) {
      // If several changes are made within one millisecond, the later ones get timestamps ahead of
      // the clock.
      at = await passedInstant();
    }
    return { at, inventory: current, others, seen, versions };
  }

  /**
   * Creates daemons on another network to replace the daemons that were deleted with their network.
   */
  async function moveScanners(from: string, to: string): Promise<void> {
    const gone = scanners.filter(({ networkId }) => networkId === from);
    scanners = scanners.filter((scanner) => !gone.includes(scanner));
    const others = await Promise.all(
      gone.map(() => raiseScanner(organization, to).catch(() => null)),
    );
    scanners = [...scanners, ...others.flatMap((scanner) => (scanner ? [scanner] : []))];
  }

  return {
    organization,
    api,
    key,
    get scanners(): readonly Scanner[] {
      return scanners;
    },
    moveScanners,
    get,
    list,
    inventory,
    observe,
  };
}

const rfc3339 = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export type World = Awaited<ReturnType<typeof openWorld>>;
