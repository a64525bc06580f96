import { isObject, type Json } from "./protocol.ts";
import { fieldOf, listens, needChildren, tableOf, unknownFields } from "./records.ts";

/** A request to the API. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  query?: Readonly<Record<string, unknown>>;
  json?: object;
}

/** An argument of a tool, in JSON Schema. */
export interface Property {
  type: "string" | "integer" | "boolean" | "array";
  description: string;
  minimum?: number;
  maximum?: number;
  [keyword: string]: unknown;
}

/** A tool: the request that it makes, and what it shows of the answer. */
export interface Tool {
  title: string;
  /** For a model: what it finds out, when to use it, and what to do next. */
  description: string;
  properties: Readonly<Record<string, Property>>;
  required?: readonly string[];
  /** Whether it changes something, and so needs the role Member. */
  changes?: true;
  /** @throws {ArgumentError} where arguments do not go together */
  call(sent: Json): Call;
  /** @param body of the response, which is a success */
  show(body: Json, sent: Json): object;
}

/** Arguments with which a tool cannot be called; the message says what to send instead. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

const text = (description: string, rest: object = {}): Property => ({
  type: "string",
  description,
  ...rest,
});
const uuid = (description: string) => text(description, { format: "uuid" });
const whole = (
  description: string,
  minimum: number,
  maximum: number,
  byDefault?: number,
): Property => ({
  type: "integer",
  description,
  minimum,
  maximum,
  ...(byDefault !== undefined && { default: byDefault }),
});

const network_id = uuid("Only this network: an id from list_networks.");
const at = text(
  "An instant of the past, such as 2026-04-01T00:00:00Z: shows what held then. Leave it out for now.",
  { format: "date-time" },
);
const fields = (example: string): Property => ({
  type: "array",
  items: { type: "string" },
  maxItems: 40,
  description: `Which fields to show instead of the few by default, such as ${example}. Ask for no more than you need.`,
});
const page = (byDefault: number) => ({
  limit: whole("How many at most.", 1, 50, byDefault),
  offset: whole("How many to skip: next_offset of the result before.", 0, 2_147_483_647, 0),
});
const cursor = text("next_cursor of the result before, to go on.");

/** The kinds of records that are found, by the fields that show them. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  hosts: ["id", "name", "ip"],
  services: ["id", "name", "version", "host_id", "is_open"],
  subnets: ["id", "cidr", "name"],
  "ip-addresses": ["id", "ip_address", "mac_address", "host_id"],
  ports: ["id", "number", "protocol", "host_id", "is_open"],
  interfaces: ["id", "name", "mac_address", "host_id"],
};

const kindOf = ({ kind = "hosts" }: Json): string => {
  if (typeof kind !== "string" || !Object.hasOwn(kinds, kind)) {
    throw new ArgumentError(`kind must be one of ${Object.keys(kinds).join(", ")}.`);
  }
  return kind;
};

const idOf = ({ id }: Json): string => {
  if (typeof id !== "string" || !/^[\da-f-]{36}$/i.test(id)) {
    throw new ArgumentError("id must be a UUID, such as those that find returns.");
  }
  return id;
};

const fieldsOf = ({ fields: chosen }: Json, byDefault: readonly string[]): readonly string[] =>
  Array.isArray(chosen) && chosen.length > 0
    ? chosen.filter((field) => typeof field === "string")
    : byDefault;

const recordsOf = ({ data }: Json): Json[] => (Array.isArray(data) ? data.filter(isObject) : []);

const metaOf = ({ meta }: Json): Json => (isObject(meta) ? meta : {});

/** @throws {ArgumentError} where a field is none of theirs */
function known(records: readonly Json[], chosen: readonly string[]): void {
  const [unknown] = unknownFields(records, chosen);
  if (unknown !== undefined) {
    throw new ArgumentError(
      `There is no field ${JSON.stringify(unknown)}. The fields are ${Object.keys(records[0] ?? {}).join(", ")}; of hosts also ip, addresses, listens, versions.`,
    );
  }
}

/** A page as a table, and where it goes on. */
function pageOf(body: Json, chosen: readonly string[]) {
  const records = recordsOf(body);
  known(records, chosen);
  const { pagination } = metaOf(body);
  const { total_count, offset, has_more } = isObject(pagination) ? pagination : {};
  return {
    ...tableOf(records, chosen),
    total: total_count,
    ...(has_more === true && { next_offset: Number(offset) + records.length }),
  };
}

const changeFields = ["at", "change", "entity", "label", "changed", "host_id", "entity_id"];

/** Changes as a table, and where they go on. */
function changesOf(body: Json, sent: Json) {
  const records = recordsOf(body);
  const chosen = fieldsOf(sent, changeFields);
  known(records, chosen);
  const { next_cursor, has_more } = metaOf(body);
  return { ...tableOf(records, chosen), next_cursor, has_more };
}

const dayMs = 86_400_000;

const hostFields = [
  "id",
  "name",
  "hostname",
  "network_id",
  "operating_system",
  "manufacturer",
  "model",
  "description",
  "addresses",
  "listens",
  "versions",
  "tags",
  "last_seen_at",
  "valid_to",
];

/** What is asked for listens, of what listens. */
function wanted(host: Json, { port, service }: Json): string[] {
  const folded = typeof service === "string" ? service.toLowerCase() : undefined;
  const found = listens(host).filter(
    (one) =>
      (port === undefined || one.startsWith(`${port}/`) || one.split(" ")[0] === port) &&
      (folded === undefined || one.toLowerCase().endsWith(` ${folded}`)),
  );
  // A service may be known by its definition alone, which is not shown.
  return found.length === 0 ? listens(host) : found;
}

/** The tools by their names, in the order in which they are listed. */
export const tools: Readonly<Record<string, Tool>> = {
  summary: {
    title: "Summary",
    description:
      "Counts what there is: hosts, open services and ports, the fullest subnets, hosts seen lately. Use it first to get an overview, and for any question that begins with how many.",
    properties: { network_id, at },
    call: (query) => ({ method: "GET", path: "summary", query }),
    show: ({ data }) => (isObject(data) ? data : {}),
  },
  list_networks: {
    title: "List networks",
    description: "Lists the networks with their ids, for the argument network_id of other tools.",
    properties: { ...page(50), fields: fields('["id", "name", "tags"]') },
    call: ({ limit = 50, offset }) => ({
      method: "GET",
      path: "networks",
      query: { limit, offset },
    }),
    show: (body, sent) => pageOf(body, fieldsOf(sent, ["id", "name", "description"])),
  },
  find: {
    title: "Find",
    description:
      "Finds hosts, or other records, by what a person would type: an address or its beginning, a block such as 10.0.2.0/24, a part of a name or operating system, a MAC, a port number, a service. It also finds what is closed now (is_open of ports and services is false): for what is open, use what_listens. Returns a table with ids. Go on with get_host for one host. Leave q out to list everything.",
    properties: {
      q: text("What to look for."),
      kind: text("What kind of records.", { enum: Object.keys(kinds), default: "hosts" }),
      network_id,
      at,
      ...page(50),
      fields: fields('["id", "name", "operating_system", "listens", "last_seen_at"]'),
    },
    call: ({ fields: _, kind: __, limit = 50, ...query }) => {
      const kind = kindOf({ kind: __ ?? "hosts" });
      const isShort =
        kind === "hosts" && !needChildren(fieldsOf({ fields: _ }, kinds["hosts"] ?? []));
      return {
        method: "GET",
        path: kind,
        query: { ...query, limit, ...(isShort && { include_children: "false" }) },
      };
    },
    show: (body, sent) => pageOf(body, fieldsOf(sent, kinds[kindOf(sent)] ?? [])),
  },
  get_host: {
    title: "Get a host",
    description:
      "Shows one host: its addresses, what listens on it, versions of its open services, and when it was seen last. Needs the id that find or what_listens returned.",
    properties: { id: uuid("The host's id."), at, fields: fields('["name", "interfaces"]') },
    required: ["id"],
    call: (sent) => ({
      method: "GET",
      path: "hosts",
      query: { ids: idOf(sent), at: sent["at"], limit: 1 },
    }),
    show: (body, sent) => {
      const [host] = recordsOf(body);
      if (!host) {
        throw new ArgumentError(
          "There is no such host then or now: look for it with find. If it was deleted, timeline still has it.",
        );
      }
      const chosen = fieldsOf(sent, hostFields);
      known([host], chosen);
      return Object.fromEntries(chosen.map((field) => [field, fieldOf(host, field)]));
    },
  },
  what_listens: {
    title: "What listens",
    description:
      "Lists which hosts listen on which ports with which services. Use it for questions such as who runs SSH, what is on port 8080, or what is exposed on a network. Narrow it with port or service.",
    properties: {
      port: text("A port such as 443 or 161/Udp."),
      service: text("The whole name or definition of a service, such as Nginx."),
      network_id,
      at,
      ...page(20),
    },
    call: ({ limit = 20, ...query }) => ({
      method: "GET",
      path: "hosts",
      query: { ...query, limit },
    }),
    show: (body, sent) => {
      const shown = pageOf(body, ["id", "name", "ip", "listens"]);
      const rows = recordsOf(body).map((host) => [
        ...["id", "name", "ip"].map((field) => fieldOf(host, field)),
        wanted(host, sent),
      ]);
      return { ...shown, rows };
    },
  },
  what_changed: {
    title: "What changed",
    description:
      "Lists what appeared, changed or went away on the networks, oldest first, since an instant (by default the last 24 hours). Go on with cursor while has_more is true.",
    properties: {
      since: text("An instant: what changed after it.", { format: "date-time" }),
      cursor,
      network_id,
      host_id: uuid("Only this host and what belongs to it."),
      entity: text("Only this kind of record.", {
        enum: ["Binding", "Host", "IPAddress", "Interface", "Port", "Service", "Subnet"],
      }),
      change: text("Only such changes.", { enum: ["created", "updated", "deleted", "returned"] }),
      limit: whole("How many at most.", 1, 50, 20),
      fields: fields('["at", "label", "before", "after", "actor"]'),
    },
    call: ({ fields: _, limit = 20, ...query }) => {
      const since = new Date(Date.now() - dayMs).toISOString();
      const start = query["cursor"] === undefined ? { since, ...query } : query;
      return { method: "GET", path: "changes", query: { ...start, limit } };
    },
    show: changesOf,
  },
  timeline: {
    title: "Timeline",
    description:
      "Lists what became of one record, newest first, also of a deleted one: of a host with everything on it. Use it to find out when something appeared or changed, and who did it.",
    properties: {
      id: uuid("The record's id."),
      kind: text("Its kind.", { enum: [...Object.keys(kinds), "bindings"], default: "hosts" }),
      cursor,
      limit: whole("How many at most.", 1, 50, 20),
      fields: fields('["at", "label", "before", "after", "actor"]'),
    },
    required: ["id"],
    call: ({ fields: _, id, kind, limit = 20, ...query }) => {
      const collection = kind === "bindings" ? kind : kindOf({ kind: kind ?? "hosts" });
      const path = `${collection}/${idOf({ id })}/timeline`;
      return { method: "GET", path, query: { ...query, limit } };
    },
    show: changesOf,
  },
  scan_status: {
    title: "Status of scans",
    description:
      "Lists the latest scans, newest first: their phase, progress in percent, hosts found, and why one failed. Use it after scan_network, and to see how fresh the data is.",
    properties: {
      network_id,
      daemon_id: uuid("Only those of this daemon."),
      limit: whole("How many at most.", 1, 50, 5),
      fields: fields('["id", "phase", "error"]'),
    },
    call: ({ fields: _, limit = 5, ...query }) => ({
      method: "GET",
      path: "discovery/sessions",
      query: { ...query, limit, order_by: "created_at", order_direction: "desc" },
    }),
    show: (body, sent) =>
      pageOf(
        body,
        fieldsOf(sent, [
          ...["id", "daemon_id", "network_id", "phase", "progress", "hosts_discovered"],
          ...["error", "is_full_scan", "started_at", "finished_at"],
        ]),
      ),
  },
  scan_network: {
    title: "Scan a network",
    description:
      "Starts a scan by a daemon: real traffic to the devices of its network, for minutes. Only where the person asked for it. With network_id alone nothing starts: it lists the network's daemons, to call again with daemon_id. Then follow scan_status.",
    properties: {
      daemon_id: uuid("The daemon that scans."),
      network_id: uuid("Lists the daemons of this network, and starts nothing."),
      is_full_scan: {
        type: "boolean",
        description:
          "true: all TCP ports; false: well-known ones. Leave it out to let the service choose.",
      },
    },
    changes: true,
    call: ({ daemon_id, network_id: network, is_full_scan = null }) => {
      if (daemon_id !== undefined) {
        return {
          method: "POST",
          path: `daemons/${idOf({ id: daemon_id })}/scan`,
          json: { is_full_scan },
        };
      }
      return { method: "GET", path: "daemons", query: { network_id: network, limit: 50 } };
    },
    show: (body, { daemon_id }) =>
      daemon_id === undefined
        ? {
            started: false,
            next: "Call scan_network again with the daemon_id of one of these daemons.",
            ...pageOf(body, ["id", "name", "network_id", "is_unreachable"]),
          }
        : {
            started: true,
            ...tableOf([isObject(body["data"]) ? body["data"] : {}], ["id", "phase"]),
          },
  },
};
