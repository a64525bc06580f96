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
 * The bounds of exports (API contract, section 13): of those that give each host a name of its own, and of the one
 * that is sent whole, as nothing in it would show that it ends early.
 */
export const exportBounds = { hosts: 50_000, bytes: 4 * 1024 * 1024 };

const query = z.strictObject(filterQuery(hostFilters));
type Sent = z.output<typeof query>;

/** Gives the next hosts, or null after the last. */
type NextHosts = () => Promise<ExportedHost[] | null>;

/** How much of what is asked for an export may hold. */
interface Bounds {
  /** The most hosts. */
  maximum: number;
  /** What refuses it before anything is read. */
  guards?: readonly Guard[];
}

/** Reads the hosts that are asked for, all as of the instant of the request. */
async function readHosts(
  { tenant }: TenantEnv["Variables"],
  sent: Sent,
  { signal, maximum, guards = [] }: Bounds & { signal: AbortSignal },
): Promise<NextHosts> {
  const listing = (at: Instant) => {
    const versions: Versions = { kind: "justPassed", at };
    return {
      source: exportedHosts(versions),
      selection: {
        ...selectedBy(hostFilters, sent, versions),
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

/** The items that hosts become, as a JSON array. */
const arrayOf = (next: NextHosts, toItem: (host: ExportedHost) => object): NextText => {
  const items = jsonOfItems(async () => (await next())?.map(toItem) ?? null);
  return within("[", items.next, () => "]");
};

/**
 * An export in JSON. It is streamed: one that breaks off is no valid JSON, which its readers refuse.
 * @param options.isNamed whether it gives each host a name of its own
 * @param options.guards what else refuses it
 */
const exportsJson = <Body>(
  { isNamed, guards }: { isNamed: boolean; guards?: (sent: Sent) => readonly Guard[] },
  write: (next: NextHosts, sent: Sent) => NextText,
) =>
  factory.createHandlers(
    authenticate("Viewer"),
    validate({ query }),
    handles({
      errors: isNamed ? ["export_too_large"] : [],
      bareType: "application/json",
    }),
    (c) => {
      const sent = c.req.valid("query");
      const bounds: Bounds = {
        maximum: isNamed ? exportBounds.hosts : Number.POSITIVE_INFINITY,
        guards: guards?.(sent) ?? [],
      };
      return streamBare<Body>(
        c,
        async (signal) => write(await readHosts(c.var, sent, { ...bounds, signal }), sent),
        { holdsNames: isNamed },
      );
    },
  );

/** GET /api/v1/exports/prometheus: a group of targets for each host, for `http_sd_configs`. */
export const prometheus = exportsJson<TargetGroup[]>({ isNamed: false }, (next, sent) =>
  arrayOf(next, (host) => toTargetGroup(host, sent)),
);

/** GET /api/v1/exports/ansible: hosts with their variables, in groups by network, tag and service. */
export const ansible = exportsJson<AnsibleInventory>(
  {
    isNamed: true,
    guards: (sent) => [groupsTooLarge(selectedBy(hostFilters, sent, live).matches)],
  },
  ansibleInventory,
);

/** GET /api/v1/exports/oxidized: a node for each host, for the source `http`. */
export const oxidized = exportsJson<OxidizedNode[]>({ isNamed: true }, (next) => {
  const names = new UniqueNames();
  return arrayOf(next, (host) => toNode(host, names));
});

/**
 * GET /api/v1/exports/hosts: the addresses of hosts with their names, as a hosts file. Sent whole, as a shorter one
 * is as good a file.
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
 * The lines of all hosts. Counts as a stream while it is read, since it is held meanwhile.
 * @throws {ApiError} 409 where they are more than may be held
 */
async function collected(c: Context<TenantEnv>, sent: Sent): Promise<string> {
  const { keyHash, tenant } = c.var;
  const organizationId = tenant.knownCaller?.organization_id ?? null;
  const giveBack = await takeStreamSlot({ keyHash, organizationId });
  try {
    const { signal } = c.req.raw;
    const next = await readHosts(c.var, sent, { signal, maximum: Number.POSITIVE_INFINITY });
    if (organizationId === null && tenant.caller) {
      countFor(tenant.caller.organization_id, keyHash);
    }
    let text = "";
    for (let chunk = await next(); chunk !== null; chunk = await next()) {
      text += chunk.map(linesOf).join("");
      // A line is ASCII, so characters are bytes.
      if (text.length > exportBounds.bytes) {
        throw new ApiError("export_too_large", { maximum: exportBounds.bytes, unit: "bytes" });
      }
    }
    return text;
  } finally {
    giveBack();
  }
}
