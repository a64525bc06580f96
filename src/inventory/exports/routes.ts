import { sql } from "drizzle-orm";
import type { Context } from "hono";
import * as z from "zod";
import type { Guard } from "../../database/guards.ts";
import { type Instant, live, type Versions } from "../../database/history.ts";
import { hosts } from "../../database/tables/index.ts";
import { ApiError } from "../../errors/errors.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory, type TenantEnv } from "../../http/factory.ts";
import { countFor, takeStreamSlot } from "../../http/limits/stream-limits.ts";
import { filterQuery, selectedBy } from "../../http/list/filter.ts";
import { jsonOfItems } from "../../http/list/formats/json.ts";
import { type NextText, within } from "../../http/list/formats/text.ts";
import { readByIds } from "../../http/list/read-by-ids.ts";
import { streamBare } from "../../http/list/stream.ts";
import { validate } from "../../http/validation/validate.ts";
import { hostFilters } from "../hosts/filters.ts";
import { type AnsibleInventory, ansibleInventory } from "./ansible.ts";
import { groupsTooLarge } from "./group-guards.ts";
import { linesOf } from "./hosts-file.ts";
import { type ExportedHost, exportedHosts } from "./model.ts";
import { UniqueNames } from "./names.ts";
import { type OxidizedNode, toNode } from "./oxidized.ts";
import { type TargetGroup, toTargetGroup } from "./prometheus.ts";

/**
 * The limits of exports (API contract, section 13): the maximum number of hosts in an export with
 * unique names, and the maximum size of the hosts file in bytes. The file is sent as a whole, since
 * a truncated one would look complete.
 */
export const exportBounds = { hosts: 50_000, bytes: 4 * 1024 * 1024 };

const query = z.strictObject(filterQuery(hostFilters));
type ExportQuery = z.output<typeof query>;

/** Returns the next hosts, or null after the last. */
type NextHosts = () => Promise<ExportedHost[] | null>;

/** The limits of one export. */
interface Bounds {
  /** Maximum number of hosts. */
  maximum: number;
  /** Guards that reject the export before anything is read. */
  guards?: readonly Guard[];
}

/** Reads the hosts that the query selects, all at the instant of the request. */
async function readHosts(
  { tenant }: TenantEnv["Variables"],
  values: ExportQuery,
  { signal, maximum, guards = [] }: Bounds & { signal: AbortSignal },
): Promise<NextHosts> {
  const listing = (at: Instant) => {
    const versions: Versions = { kind: "justPassed", at };
    return {
      source: exportedHosts(versions),
      selection: {
        ...selectedBy(hostFilters, values, versions),
        order: sql`${hosts.created_at}, ${hosts.live_id}`,
      },
    };
  };
  const { next, total_count } = await readByIds(tenant, listing, {
    offset: 0,
    limit: 0,
    signal,
    guards,
  });
  if (total_count > maximum) {
    throw new ApiError("export_too_large", { maximum, unit: "hosts" });
  }
  return async () => {
    const chunk = await next();
    if (chunk !== null && !Array.isArray(chunk)) {
      throw new Error("An exported host came in parts.");
    }
    return chunk;
  };
}

/** Formats hosts as a JSON array of items. */
const arrayOf = (next: NextHosts, toItem: (host: ExportedHost) => object): NextText => {
  const items = jsonOfItems(async () => (await next())?.map(toItem) ?? null);
  return within("[", items.next, () => "]");
};

/**
 * Creates the handlers of an export in JSON. The export is streamed: if it is truncated, it is
 * invalid JSON, which its readers reject.
 * @param options.isNamed true if each host gets a unique name
 * @param options.guards additional guards that reject the export
 */
const exportsJson = <Body>(
  { isNamed, guards }: { isNamed: boolean; guards?: (values: ExportQuery) => readonly Guard[] },
  write: (next: NextHosts, values: ExportQuery) => NextText,
) =>
  factory.createHandlers(
    authenticate("Viewer"),
    validate({ query }),
    handles({
      errors: isNamed ? ["export_too_large"] : [],
      bareType: "application/json",
    }),
    (c) => {
      const values = c.req.valid("query");
      const bounds: Bounds = {
        maximum: isNamed ? exportBounds.hosts : Number.POSITIVE_INFINITY,
        guards: guards?.(values) ?? [],
      };
      return streamBare<Body>(
        c,
        async (signal) => write(await readHosts(c.var, values, { ...bounds, signal }), values),
        { holdsNames: isNamed },
      );
    },
  );

/** GET /api/v1/exports/prometheus: exports a target group for each host, for `http_sd_configs`. */
export const prometheus = exportsJson<TargetGroup[]>({ isNamed: false }, (next, values) =>
  arrayOf(next, (host) => toTargetGroup(host, values)),
);

/**
 * GET /api/v1/exports/ansible: exports hosts with their variables, in groups by network, tag and
 * service.
 */
export const ansible = exportsJson<AnsibleInventory>(
  {
    isNamed: true,
    guards: (values) => [groupsTooLarge(selectedBy(hostFilters, values, live).matches)],
  },
  ansibleInventory,
);

/** GET /api/v1/exports/oxidized: exports a node for each host, for the source `http`. */
export const oxidized = exportsJson<OxidizedNode[]>({ isNamed: true }, (next) => {
  const names = new UniqueNames();
  return arrayOf(next, (host) => toNode(host, names));
});

/**
 * GET /api/v1/exports/hosts: exports the addresses of hosts with their names, as a hosts file. The
 * file is sent as a whole, since a truncated hosts file would still be valid.
 */
export const hostsFile = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles({ errors: ["export_too_large"], bareType: "text/plain" }),
  async (c) => {
    const text = await collected(c, c.req.valid("query"));
    return c.body(text, 200, { "Content-Type": "text/plain; charset=utf-8" });
  },
);

/**
 * Reads the lines of all hosts. Holds a stream slot while doing so, since the text is kept in
 * memory.
 * @throws {ApiError} 409 if the text exceeds the limit
 */
async function collected(c: Context<TenantEnv>, values: ExportQuery): Promise<string> {
  const { keyHash, tenant } = c.var;
  const organizationId = tenant.knownCaller?.organization_id ?? null;
  const release = await takeStreamSlot({ keyHash, organizationId });
  try {
    const { signal } = c.req.raw;
    const next = await readHosts(c.var, values, { signal, maximum: Number.POSITIVE_INFINITY });
    if (organizationId === null && tenant.caller) {
      countFor(tenant.caller.organization_id, keyHash);
    }
    let text = "";
    for (let chunk = await next(); chunk !== null; chunk = await next()) {
      text += chunk.map(linesOf).join("");
      // Lines are ASCII, so each character is one byte.
      if (text.length > exportBounds.bytes) {
        throw new ApiError("export_too_large", { maximum: exportBounds.bytes, unit: "bytes" });
      }
    }
    return text;
  } finally {
    release();
  }
}
