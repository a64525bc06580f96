import * as z from "zod";
import { changeSchema } from "../changes/model.ts";
import { sessionSchema } from "../daemons/sessions/model.ts";
import { changeEntities, changeKinds } from "../database/tables/index.ts";
import { ipAddress } from "../http/input/network.ts";
import { hostSchema } from "../inventory/hosts/model.ts";
import { interfaceSchema } from "../inventory/interfaces/model.ts";
import { ipAddressSchema } from "../inventory/ip-addresses/model.ts";
import { portSchema } from "../inventory/ports/model.ts";
import { portText } from "../inventory/search.ts";
import { serviceSchema } from "../inventory/services/model.ts";
import { subnetSchema } from "../inventory/subnets/model.ts";
import { networkSchema } from "../networks/model.ts";
import {
  ArgumentError,
  at,
  chosenFields,
  cursor,
  fields,
  instant,
  limit,
  network_id,
  one,
  page,
  parsed,
  text,
  uuid,
} from "./arguments.ts";
import { isObject, type Json } from "./protocol.ts";
import { cut, fieldOf, listens, needChildren, shortened, tableOf } from "./records.ts";

/** A request to the API. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  query?: Readonly<Record<string, unknown>>;
  json?: object;
}

/** One request to the API, and what comes of a success. */
export class Step {
  readonly call: Call;
  /** What to show; or the next request, where one is needed first to know what to ask for. */
  readonly show: (body: Json) => object | Step;

  constructor(call: Call, show: Step["show"]) {
    this.call = call;
    this.show = show;
  }
}

/** A tool of the server. */
export interface Tool {
  title: string;
  /** For a model: what it finds out, when to use it, and what to do next. */
  description: string;
  input: z.ZodObject;
  /** Whether it changes something, and so needs the role Member. */
  changes?: true;
  /** @throws {ArgumentError} where the arguments do not suit */
  begin(sent: Json): Step;
}

const tool = <Input extends z.ZodObject>({
  begin,
  ...about
}: Omit<Tool, "input" | "begin"> & {
  input: Input;
  begin(sent: z.output<Input>): Step;
}): Tool => ({ ...about, begin: (sent) => begin(parsed(about.input, sent)) });

const read = (path: string, query: Call["query"], show: Step["show"]) =>
  new Step({ method: "GET", path, ...(query && { query }) }, show);

const namesIn = ({ shape }: z.ZodObject) => Object.keys(shape);

/** The fields of the records of each kind, and those that show one by default. */
const kinds = {
  hosts: {
    known: [...namesIn(hostSchema), ...Object.keys(shortened)],
    shown: ["id", "name", "ip"],
  },
  services: {
    known: namesIn(serviceSchema),
    shown: ["id", "name", "version", "host_id", "is_open"],
  },
  subnets: { known: namesIn(subnetSchema), shown: ["id", "cidr", "name"] },
  "ip-addresses": {
    known: namesIn(ipAddressSchema),
    shown: ["id", "ip_address", "mac_address", "host_id"],
  },
  ports: { known: namesIn(portSchema), shown: ["id", "number", "protocol", "host_id", "is_open"] },
  interfaces: {
    known: namesIn(interfaceSchema),
    shown: ["id", "name", "mac_address", "host_id"],
  },
} as const;

const kindNames = [
  "hosts",
  "services",
  "subnets",
  "ip-addresses",
  "ports",
  "interfaces",
] as const satisfies readonly (keyof typeof kinds)[];

const recordsOf = ({ data }: Json): Json[] => (Array.isArray(data) ? data.filter(isObject) : []);

const metaOf = ({ meta }: Json): Json => (isObject(meta) ? meta : {});

/** Rows as a table, and where they go on. */
function pageOf(body: Json, columns: readonly string[], rowOf?: (record: Json) => unknown[]) {
  const records = recordsOf(body);
  const { pagination } = metaOf(body);
  const { total_count, offset, has_more } = isObject(pagination) ? pagination : {};
  return {
    ...(rowOf ? { columns, rows: records.map(rowOf) } : tableOf(records, columns)),
    total: total_count,
    ...(has_more === true && { next_offset: Number(offset) + records.length }),
  };
}

const changeFields = namesIn(changeSchema);
const changesShown = ["at", "change", "entity", "label", "changed", "host_id", "entity_id"];
const changesChosen = fields('["at", "label", "before", "after", "actor"]');

/** Changes as a table, and where they go on. */
function changesOf(body: Json, columns: readonly string[]) {
  const { next_cursor, has_more } = metaOf(body);
  return { ...tableOf(recordsOf(body), columns), next_cursor, has_more };
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
  "is_stale",
  "valid_to",
];

/** The arguments that name one host. */
const hostNames = {
  id: uuid("Its id."),
  name: text("In place of an id: the whole name or hostname of a host, in any case."),
  ip: z
    .string()
    .max(45)
    .refine((sent) => ipAddress.safeParse(sent).success, {
      error: "must be an IP address such as 192.0.2.7 or 2001:db8::7",
    })
    .optional()
    .describe("In place of an id: an address of a host."),
};

const isOneName = ({ id, name, ip }: { id?: unknown; name?: unknown; ip?: unknown }): boolean =>
  [id, name, ip].filter((given) => given !== undefined).length === 1;

const oneName = {
  error:
    "Give exactly one of the arguments id, name and ip. Where you know only a part of them, look for it with find.",
};

/** Columns that tell hosts of one name or address apart. */
const candidateFields = [
  "id",
  "name",
  "hostname",
  "network_id",
  "operating_system",
  "last_seen_at",
];

/** The most hosts among which one is looked for by its name. */
const maximumCandidates = 50;

/**
 * Goes on with the id of the host that arguments name. By name and address it takes a request to learn the id, and
 * a second one by hostname; where several hosts match, they are shown instead.
 */
function withHost(
  { id, name, ip, at }: Partial<Record<"id" | "name" | "ip" | "at", string | undefined>>,
  then: (id: string) => Step,
): Step {
  if (id !== undefined) {
    return then(id);
  }
  const common = { at, include_children: "false", limit: maximumCandidates };
  const shownOf = ([host, ...others]: Json[]): object | Step => {
    if (!host) {
      throw new ArgumentError(
        `No host ${at === undefined ? "has" : "had"} exactly this ${name === undefined ? "address" : "name"}: look for it with find. Of a deleted host, what_changed has the id.`,
      );
    }
    return others.length === 0
      ? then(String(host["id"]))
      : {
          next: "Several hosts match. Call the tool again with the id of one of them.",
          ...tableOf([host, ...others], candidateFields),
        };
  };
  if (name === undefined) {
    return read("hosts", { ...common, ip }, (body) => shownOf(recordsOf(body)));
  }
  const folded = name.toLowerCase();
  return read("hosts", { ...common, name }, (body) => {
    const named = recordsOf(body);
    return named.length > 0
      ? shownOf(named)
      : read("hosts", { ...common, q: name }, (found) =>
          shownOf(
            recordsOf(found).filter(({ hostname }) => String(hostname).toLowerCase() === folded),
          ),
        );
  });
}

/** What is asked for listens, of what listens. */
function wanted(
  host: Json,
  { port, service }: { port: z.output<typeof portText> | undefined; service: string | undefined },
): string[] {
  const all = listens(host);
  const folded = service?.toLowerCase();
  const found = all.filter(
    (one) =>
      (port === undefined || one.startsWith(`${port.number}/${port.protocol ?? ""}`)) &&
      (folded === undefined || one.toLowerCase().endsWith(` ${folded}`)),
  );
  // A service may be known by its definition alone, which is not shown.
  return found.length === 0 ? all : found;
}

/** The tools by their names, in the order in which they are listed. */
export const tools: Readonly<Record<string, Tool>> = {
  summary: tool({
    title: "Summary",
    description:
      "Counts what there is: hosts, open services and ports, the fullest subnets, hosts seen lately. Use it first to get an overview, and for any question that begins with how many.",
    input: z.strictObject({ network_id, at }),
    begin: (query) => read("summary", query, ({ data }) => (isObject(data) ? data : {})),
  }),
  list_networks: tool({
    title: "List networks",
    description: "Lists the networks with their ids, for the argument network_id of other tools.",
    input: z.strictObject({ ...page(50), fields: fields('["id", "name", "tags"]') }),
    begin: ({ fields: chosen, ...query }) => {
      const columns = chosenFields(chosen, ["id", "name", "description"], namesIn(networkSchema));
      return read("networks", query, (body) => pageOf(body, columns));
    },
  }),
  find: tool({
    title: "Find",
    description:
      "Finds hosts, or other records, by what a person would type: an address or its beginning, a block such as 10.0.2.0/24, a part of a name or operating system, a MAC, a port number, a service. Hosts are found by ports and services that are open on them; the kinds ports and services also have closed ones (is_open is false). Returns a table with ids. Go on with get_host for one host. Leave q out to list everything.",
    input: z.strictObject({
      q: text("What to look for."),
      kind: one(kindNames, "What kind of records.").default("hosts"),
      network_id,
      at,
      ...page(50),
      fields: fields('["id", "name", "operating_system", "listens", "last_seen_at"]'),
    }),
    begin: ({ fields: chosen, kind, ...query }) => {
      const { known, shown } = kinds[kind];
      const columns = chosenFields(chosen, shown, known);
      const isShort = kind === "hosts" && !needChildren(columns);
      return read(kind, { ...query, ...(isShort && { include_children: "false" }) }, (body) =>
        pageOf(body, columns),
      );
    },
  }),
  get_host: tool({
    title: "Get a host",
    description:
      "Shows one host: its addresses, what listens on it, versions of its open services, and when it was seen last. Takes the id that find or what_listens returned, or its whole name, or an address.",
    input: z
      .strictObject({ ...hostNames, at, fields: fields('["name", "interfaces"]') })
      .refine(isOneName, oneName),
    begin: ({ fields: chosen, ...sent }) => {
      const columns = chosenFields(chosen, hostFields, kinds.hosts.known);
      return withHost(sent, (ids) =>
        read("hosts", { ids, at: sent.at, limit: 1 }, (body) => {
          const [host] = recordsOf(body);
          if (!host) {
            throw new ArgumentError(
              "There is no such host then or now: look for it with find. If it was deleted, timeline still has it.",
            );
          }
          return Object.fromEntries(columns.map((field) => [field, fieldOf(host, field)]));
        }),
      );
    },
  }),
  what_listens: tool({
    title: "What listens",
    description:
      "Lists which hosts listen on which ports with which services. Use it for questions such as who runs SSH, what is on port 8080, or what is exposed on a network. Narrow it with port or service.",
    input: z.strictObject({
      port: portText.optional().describe("A port such as 443 or 161/Udp."),
      service: text("The whole name or definition of a service, such as Nginx."),
      network_id,
      at,
      ...page(20),
    }),
    begin: ({ port, ...query }) => {
      const sent = port && [port.number, port.protocol].filter((part) => part !== null).join("/");
      return read("hosts", { ...query, port: sent }, (body) =>
        pageOf(body, ["id", "name", "ip", "listens"], (host) => [
          ...["id", "name", "ip"].map((field) => fieldOf(host, field)),
          cut(wanted(host, { port, service: query.service })),
        ]),
      );
    },
  }),
  what_changed: tool({
    title: "What changed",
    description:
      "Lists what appeared, changed or went away on the networks, oldest first, since an instant (by default the last 24 hours). Go on with cursor while has_more is true.",
    input: z.strictObject({
      since: instant("An instant: what changed after it."),
      cursor,
      network_id,
      host_id: uuid("Only this host and what belongs to it."),
      entity: one(changeEntities, "Only this kind of record.").optional(),
      change: one(changeKinds, "Only such changes.").optional(),
      limit: limit(20),
      fields: changesChosen,
    }),
    begin: ({ fields: chosen, since, ...query }) => {
      const columns = chosenFields(chosen, changesShown, changeFields);
      const yesterday = new Date(Date.now() - dayMs).toISOString();
      const start = query.cursor === undefined ? (since ?? yesterday) : since;
      return read("changes", { ...query, since: start }, (body) => changesOf(body, columns));
    },
  }),
  timeline: tool({
    title: "Timeline",
    description:
      "Lists what became of one record, newest first, also of a deleted one: of a host with everything on it. Use it to find out when something appeared or changed, and who did it.",
    input: z
      .strictObject({
        ...hostNames,
        kind: one([...kindNames, "bindings"], "The kind of the record with this id.").default(
          "hosts",
        ),
        cursor,
        limit: limit(20),
        fields: changesChosen,
      })
      .refine(isOneName, oneName)
      .refine(({ id, kind }) => id !== undefined || kind === "hosts", {
        error: "name and ip are of hosts: name a record of another kind by its id.",
      }),
    begin: ({ fields: chosen, kind, cursor: from, limit: most, ...sent }) => {
      const columns = chosenFields(chosen, changesShown, changeFields);
      return withHost(sent, (id) =>
        read(`${kind}/${id}/timeline`, { cursor: from, limit: most }, (body) =>
          changesOf(body, columns),
        ),
      );
    },
  }),
  scan_status: tool({
    title: "Status of scans",
    description:
      "Lists the latest scans, newest first: their phase, progress in percent, hosts found, and why one failed. Use it after scan_network, and to see how fresh the data is.",
    input: z.strictObject({
      network_id,
      daemon_id: uuid("Only those of this daemon."),
      limit: limit(5),
      fields: fields('["id", "phase", "error"]'),
    }),
    begin: ({ fields: chosen, ...query }) => {
      const columns = chosenFields(
        chosen,
        [
          ...["id", "daemon_id", "network_id", "phase", "progress", "hosts_discovered"],
          ...["error", "is_full_scan", "started_at", "finished_at"],
        ],
        namesIn(sessionSchema),
      );
      return read(
        "discovery/sessions",
        { ...query, order_by: "created_at", order_direction: "desc" },
        (body) => pageOf(body, columns),
      );
    },
  }),
  scan_network: tool({
    title: "Scan a network",
    description:
      "Starts a scan by a daemon: real traffic to the devices of its network, for minutes. Only where the person asked for it. With network_id alone nothing starts: it lists the network's daemons, to call again with daemon_id. Then follow scan_status.",
    input: z.strictObject({
      daemon_id: uuid("The daemon that scans."),
      network_id: uuid("Lists the daemons of this network, and starts nothing."),
      is_full_scan: z
        .boolean()
        .optional()
        .describe(
          "true: all TCP ports; false: well-known ones. Leave it out to let the service choose.",
        ),
    }),
    changes: true,
    begin: ({ daemon_id, network_id: network, is_full_scan = null }) =>
      daemon_id === undefined
        ? read("daemons", { network_id: network, limit: 50 }, (body) => ({
            started: false,
            next: "Call scan_network again with the daemon_id of one of these daemons.",
            ...pageOf(body, ["id", "name", "network_id", "is_unreachable"]),
          }))
        : new Step(
            { method: "POST", path: `daemons/${daemon_id}/scan`, json: { is_full_scan } },
            ({ data }) => ({
              started: true,
              ...tableOf([isObject(data) ? data : {}], ["id", "phase"]),
            }),
          ),
  }),
};
