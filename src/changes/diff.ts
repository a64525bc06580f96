import { sql } from "drizzle-orm";
import { decodeBase64 } from "hono/utils/encode";
import * as z from "zod";
import { pageBytes } from "../database/collection.ts";
import { chunkBytes } from "../database/collection-chunks.ts";
import type { TenantSession } from "../database/session.ts";
import { changeEntities } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { okPageOf } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { choice } from "../http/input/choice.ts";
import { id } from "../http/input/id.ts";
import { pageQuery } from "../http/input/page.ts";
import { choices } from "../http/input/repeated.ts";
import { instant } from "../http/input/timestamp.ts";
import { chunkFactor } from "../http/limits/stream-limits.ts";
import { checkLabels, readLabels, tooLargeForLabels } from "../http/list/labels.ts";
import type { NextChunk } from "../http/list/source.ts";
import { streamListOf } from "../http/list/stream.ts";
import { validate } from "../http/validation/validate.ts";
import { uuidBytes, uuidOf } from "../uuid.ts";
import { includable, isIncluded } from "./include.ts";
import {
  type ChangeRow,
  type Diff,
  type Difference,
  differenceKinds,
  type HostDifferences,
  toChange,
} from "./model.ts";

const query = z
  .strictObject({
    from: instant.optional(),
    from_session: id.optional(),
    to: instant.optional(),
    to_session: id.optional(),
    network_id: id.optional(),
    entity: choices(changeEntities).optional(),
    host_id: id.optional(),
    include: choices(includable).optional(),
    by: choice(["host"]).optional(),
    ...pageQuery,
  })
  .refine(({ by, include }) => by === undefined || include === undefined, {
    path: ["include"],
    error: "must be omitted with by",
  })
  .check(checkLabels)
  .refine(({ from, from_session }) => from !== undefined || from_session !== undefined, {
    path: ["from"],
    error: "is required: send an instant, or the id of a scan as from_session",
  })
  .refine(({ from, from_session }) => from === undefined || from_session === undefined, {
    path: ["from_session"],
    error: "must be omitted with from",
  })
  .refine(({ to, to_session }) => to === undefined || to_session === undefined, {
    path: ["to_session"],
    error: "must be omitted with to",
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["to"],
    error: "must not be before from",
  });
type Query = z.output<typeof query>;

type Row = ChangeRow<Difference["change"]>;

/**
 * The row of `app.diff_by_host`, and the last row of `app.diff`, which is a summary instead of a
 * difference.
 */
interface Summary extends Record<string, unknown> {
  begins_at: string;
  ends_at: string;
  counts: Diff["counts"];
  total_count: number;
  keys: string;
}

/** Maximum number of differences per read. */
const chunkSize = 1000;

/** Length of a difference's key, in bytes: one for its kind and change, then its id. */
const keyBytes = 1 + uuidBytes;

/**
 * GET /api/v1/diff: returns the net change to each record between two instants, or the number of
 * such changes on each host (API contract, section 11). A page takes one database call. A page of
 * records that is larger than about 1 MiB, or a request with `limit=0`, is sent in chunks.
 */
export const showDiff = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles({
    errors: ["entity_reference_invalid", "range_too_large", "history_expired"],
    hasPages: true,
  }),
  async (c) => {
    const sent = c.req.valid("query");
    const { limit, offset } = sent;
    if (sent.by === "host") {
      if (limit === 0) {
        return streamListOf(c, { limit, offset }, async (signal) => {
          const { head, total_count, ...hosts } = await readHosts(c.var.tenant, sent, signal);
          return { head, total_count, next: hostChunksOf(c.var.tenant, head, hosts, signal) };
        });
      }
      const { head, first, total_count } = await readHosts(c.var.tenant, sent);
      return okPageOf(c, { ...head, items: first }, { total_count, limit, offset });
    }
    const inChunks = (read: (signal: AbortSignal) => Promise<Differences>) =>
      streamListOf(c, { limit, offset }, async (signal) => {
        const { head, total_count, ...differences } = await read(signal);
        return { head, total_count, next: chunksOf(c.var.tenant, sent, head, differences, signal) };
      });
    if (limit === 0) {
      return inChunks((signal) => readDifferences(c.var.tenant, sent, signal));
    }
    const read = await readDifferences(c.var.tenant, sent);
    const { head, first, keys, total_count } = read;
    const isComplete = first.length === keys.length / keyBytes;
    if (!isIncluded(sent, "labels")) {
      return isComplete
        ? okPageOf(c, { ...head, items: first }, { total_count, limit, offset })
        : inChunks(async () => read);
    }
    if (!isComplete) {
      throw tooLargeForLabels();
    }
    const labels = await readLabels(c.var.tenant, first);
    return okPageOf(c, { ...head, items: first }, { total_count, limit, offset }, labels);
  },
);

/** The differences that a query selects. */
interface Differences {
  head: Omit<Diff, "items">;
  /** The first differences, as many as one call can read. */
  first: Difference[];
  /** The keys of all differences, {@link keyBytes} bytes each. */
  keys: Uint8Array;
  total_count: number;
}

async function readDifferences(
  tenant: TenantSession,
  sent: Query,
  signal?: AbortSignal,
): Promise<Differences> {
  const isWhole = isIncluded(sent, "records");
  const [{ rows }] = await tenant.run(
    (database) => [
      database.execute<Row & Summary>(sql`
        select * from app.diff(${selectionOf(sent)}, ${isWhole}, ${pageBytes})`),
    ],
    signal && { signal },
  );
  const summary = rows.pop();
  if (!summary) {
    throw new Error("app.diff returned no summary.");
  }
  return {
    head: headOf(summary),
    first: rows.map((row) => toChange(row, isWhole)),
    keys: keysOf(summary),
    total_count: summary.total_count,
  };
}

/** Returns SQL for the first arguments of `app.diff` and of `app.diff_by_host`. */
const selectionOf = (sent: Query) => sql`
  ${sent.from ?? null}::timestamptz, ${sent.from_session ?? null}::uuid,
  ${sent.to ?? null}::timestamptz, ${sent.to_session ?? null}::uuid,
  ${sent.network_id ?? null}::uuid, ${sent.entity ? sql.param(sent.entity) : null}::text[],
  ${sent.host_id ?? null}::uuid, ${sent.offset}, ${sent.limit === 0 ? null : sent.limit}::integer`;

const headOf = ({ begins_at, ends_at, counts }: Summary) => ({
  from: begins_at,
  to: ends_at,
  counts,
});

const keysOf = ({ keys }: Summary) => decodeBase64(keys.replaceAll("\n", ""));

/** Reads differences in chunks. Settled history never changes, so all chunks are consistent. */
function chunksOf(
  tenant: TenantSession,
  sent: Query,
  { from, to }: Differences["head"],
  { first, keys }: Pick<Differences, "first" | "keys">,
  signal: AbortSignal,
): NextChunk<Difference> {
  const isWhole = isIncluded(sent, "records");
  tenant.requireHistory(from, false);
  let ready: Difference[] | null = first;
  let position = first.length;
  return async () => {
    if (ready) {
      const chunk = ready;
      ready = null;
      return chunk;
    }
    const nextKeys = keysFrom(keys, position);
    if (nextKeys.length === 0) {
      return null;
    }
    const [{ rows }] = await tenant.run(
      (database) => [
        database.execute<Row>(sql`
          select * from app.differences_of(
            ${from}::timestamptz, ${to}::timestamptz,
            ${sql.param(nextKeys.map(({ entity }) => entity))}::text[],
            ${sql.param(nextKeys.map(({ entity_id }) => entity_id))}::uuid[],
            ${sql.param(nextKeys.map(({ change }) => change))}::text[],
            ${isWhole}, ${chunkBytes * chunkFactor()})`),
      ],
      { signal },
    );
    if (rows.length === 0) {
      throw new Error("A record of the differences no longer exists.");
    }
    position += rows.length;
    return rows.map((row) => toChange(row, isWhole));
  };
}

/** The hosts that a query selects, as in {@link Differences}. */
interface Hosts extends Omit<Differences, "first"> {
  first: HostDifferences[];
}

async function readHosts(tenant: TenantSession, sent: Query, signal?: AbortSignal): Promise<Hosts> {
  const [{ rows }] = await tenant.run(
    (database) => [
      database.execute<Summary & { labels: string[] }>(sql`
        select * from app.diff_by_host(${selectionOf(sent)}, ${chunkSize})`),
    ],
    signal && { signal },
  );
  const [row] = rows;
  if (!row) {
    throw new Error("app.diff_by_host returned no row.");
  }
  const keys = keysOf(row);
  return {
    head: headOf(row),
    first: hostsFrom(keys, 0).map((host, at) => hostWith(host, row.labels[at])),
    keys,
    total_count: row.total_count,
  };
}

/** Reads the names of hosts in chunks. Everything else about them has already been read. */
function hostChunksOf(
  tenant: TenantSession,
  { from, to }: Hosts["head"],
  { first, keys }: Pick<Hosts, "first" | "keys">,
  signal: AbortSignal,
): NextChunk<HostDifferences> {
  tenant.requireHistory(from, false);
  let position = 0;
  return async () => {
    const hosts = hostsFrom(keys, position);
    if (hosts.length === 0) {
      return null;
    }
    const isFirst = position === 0;
    position += hosts.length;
    if (isFirst) {
      return first;
    }
    const [{ rows }] = await tenant.run(
      (database) => [
        database.execute<{ labels: string[] }>(sql`
          select app.host_labels(
            ${sql.param(hosts.map(({ host_id }) => host_id))}::uuid[],
            ${from}::timestamptz, ${to}::timestamptz) as labels`),
      ],
      { signal },
    );
    return hosts.map((host, at) => hostWith(host, rows[0]?.labels[at]));
  };
}

const hostWith = ({ host_id, ...counts }: Omit<HostDifferences, "label">, label = "") => ({
  host_id,
  label,
  ...counts,
});

/** Length of a host in the result of `app.diff_by_host`, in bytes: its id and four counts. */
const hostBytes = uuidBytes + 4 * 4;

/** Unpacks the next hosts that `app.diff_by_host` returned, starting at a position. */
function hostsFrom(keys: Uint8Array, position: number) {
  const view = new DataView(keys.buffer, keys.byteOffset, keys.byteLength);
  const end = Math.min(keys.length, (position + chunkSize) * hostBytes);
  const unpacked: Omit<HostDifferences, "label">[] = [];
  for (let at = position * hostBytes; at < end; at += hostBytes) {
    const countAt = (nth: number) => view.getInt32(at + uuidBytes + 4 * nth);
    unpacked.push({
      host_id: uuidOf(keys.subarray(at, at + uuidBytes)),
      added: countAt(0),
      removed: countAt(1),
      changed: countAt(2),
      returned: countAt(3),
    });
  }
  return unpacked;
}

/** Unpacks the next keys that `app.diff` returned, starting at a position. */
function keysFrom(keys: Uint8Array, position: number) {
  const unpacked: Pick<Difference, "entity" | "entity_id" | "change">[] = [];
  const end = Math.min(keys.length, (position + chunkSize) * keyBytes);
  for (let at = position * keyBytes; at < end; at += keyBytes) {
    const [kinds = 0] = keys.subarray(at, at + 1);
    const entity = changeEntities[kinds >> 2];
    const change = differenceKinds[kinds & 3];
    if (entity && change) {
      unpacked.push({ entity, change, entity_id: uuidOf(keys.subarray(at + 1, at + keyBytes)) });
    }
  }
  return unpacked;
}
