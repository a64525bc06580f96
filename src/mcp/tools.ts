import * as z from "zod";
import { changeSchema } from "../changes/model.ts";
import { sessionSchema } from "../daemons/sessions/model.ts";
import { changeEntities, changeKinds } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { integer } from "../http/input/integer.ts";
import { ipAddress } from "../http/input/network.ts";
import { hostSchema } from "../inventory/hosts/model.ts";
import { interfaceSchema } from "../inventory/interfaces/model.ts";
import { ipAddressSchema } from "../inventory/ip-addresses/model.ts";
import { neighborSchema } from "../inventory/neighbors/model.ts";
import { portSchema } from "../inventory/ports/model.ts";
import { portText } from "../inventory/search.ts";
import { serviceSchema } from "../inventory/services/model.ts";
import { subnetSchema } from "../inventory/subnets/model.ts";
import { layers, maximumDepth } from "../inventory/topology/model.ts";
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

export interface Call {
  method: "GET" | "POST";
  path: string;
  query?: Readonly<Record<string, unknown>>;
  json?: object;
  /** The media type of the response, if it is not JSON. Its text is returned as `data`. */
  accept?: string;
}

/** A request to the API, and the conversion of its successful response. */
export class Step {
  readonly call: Call;
  /** Returns the result, or the next request if more are needed. */
  readonly show: (body: Json) => object | Step;

  constructor(call: Call, show: Step["show"]) {
    this.call = call;
    this.show = show;
  }
}

export interface Tool {
  title: string;
  /** For models: its purpose, when to use it, and the next step. */
  description: string;
  input: z.ZodObject;
  /** True if it changes data and therefore needs the role Member. */
  changes?: true;
  /** @throws {ArgumentError} if the arguments are invalid */
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

/** The fields of each kind of record, and the ones returned by default. */
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
  neighbors: {
    known: namesIn(neighborSchema),
    shown: ["id", "system_name", "chassis_id", "port_id", "interface_id", "host_id"],
  },
} as const;

const kindNames = [
  "hosts",
  "services",
  "subnets",
  "ip-addresses",
  "ports",
  "interfaces",
  "neighbors",
] as const satisfies readonly (keyof typeof kinds)[];

const recordsOf = ({ data }: Json): Json[] => (Array.isArray(data) ? data.filter(isObject) : []);

const metaOf = ({ meta }: Json): Json => (isObject(meta) ? meta : {});

/** Formats rows as a table with the position of the next page. */
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
const changesShown = [
  ...["at", "change", "entity", "label", "label_before", "changed", "host_id", "entity_id"],
];
const changesChosen = fields('["at", "label", "before", "after", "actor"]');

/** Formats changes as a table with the next cursor. */
function changesOf(body: Json, columns: readonly string[]) {
  const { next_cursor, has_more } = metaOf(body);
  return { ...tableOf(recordsOf(body), columns), next_cursor, has_more };
}

/** The fields of a search result that tell a model how to continue. */
const resultsShown = ["entity", "id", "label", "host_id", "matched"];

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

/** The arguments that identify one host. */
const hostNames = {
  id: uuid("Its id."),
  name: text("Instead of an id: the complete name or hostname of a host, case-insensitive."),
  ip: z
    .string()
    .max(45)
    .refine((sent) => ipAddress.safeParse(sent).success, {
      error: "must be an IP address such as 192.0.2.7 or 2001:db8::7",
    })
    .optional()
    .describe("Instead of an id: an address of a host."),
};

const isOneName = ({ id, name, ip }: { id?: unknown; name?: unknown; ip?: unknown }): boolean =>
  [id, name, ip].filter((given) => given !== undefined).length === 1;

const oneName = {
  error:
    "Send exactly one of the arguments id, name and ip. If you know only a part of one, use find.",
};

/** Columns that distinguish hosts with the same name or address. */
const candidateFields = [
  "id",
  "name",
  "hostname",
  "network_id",
  "operating_system",
  "last_seen_at",
];

/** Maximum number of candidates when a host is looked up by name. */
const maximumCandidates = 50;

/**
 * Continues with the id of the host that the arguments identify. Looking up the id takes one
 * request by name or address, and two by hostname. If several hosts match, returns those hosts
 * instead.
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
        `No host ${at === undefined ? "has" : "had"} exactly this ${name === undefined ? "address" : "name"}: search with find. For a deleted host, what_changed shows the id.`,
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

/** Filters the listening ports and services of a host. */
function matching(
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
  // The filter may match a service's definition, which the list does not contain.
  return found.length === 0 ? all : found;
}

const mermaid = "text/vnd.mermaid";

/** A map without nodes, in Mermaid. */
const emptyMap = "flowchart LR\n";

/** The tools by name, in the order of `tools/list`. */
export const tools: Readonly<Record<string, Tool>> = {
  summary: tool({
    title: "Summary",
    description:
      "Counts hosts, open services and ports, and recently seen hosts, and lists the largest subnets. Use it first for an overview, and for questions about numbers.",
    input: z.strictObject({ network_id, at }),
    begin: (query) => read("summary", query, ({ data }) => (isObject(data) ? data : {})),
  }),
  list_networks: tool({
    title: "List networks",
    description: "Lists the networks with their ids, which other tools accept as network_id.",
    input: z.strictObject({ ...page(50), fields: fields('["id", "name", "tags"]') }),
    begin: ({ fields: chosen, ...query }) => {
      const columns = chosenFields(chosen, ["id", "name", "description"], namesIn(networkSchema));
      return read("networks", query, (body) => pageOf(body, columns));
    },
  }),
  find: tool({
    title: "Find",
    description:
      "Searches by free text: an address or its beginning, part of a name or operating system, a MAC, a port number, a service. With q alone, finds all kinds of records that match every word, themselves or on their host (weewx 8080), the best first. With kind, lists one kind in pages, at any instant; there, q is one text, or a block such as 10.0.2.0/24. Hosts match by open ports and services only. Continue with get_host. Omit q to list everything.",
    input: z.strictObject({
      q: text("The text to search for."),
      kind: one(
        kindNames,
        "The kind of records. By default, all kinds; with at, offset or fields, or without q: hosts.",
      ).optional(),
      network_id,
      at,
      ...page(50),
      fields: fields('["id", "name", "operating_system", "listens", "last_seen_at"]'),
    }),
    begin: ({ fields: chosen, kind: sentKind, ...query }) => {
      const { q, network_id: network, limit: most } = query;
      const isOfKind = [sentKind, query.at, chosen].some((sent) => sent !== undefined);
      if (q !== undefined && !isOfKind && query.offset === 0) {
        return read("search", { q, network_id: network, limit: most }, (body) =>
          tableOf(recordsOf(body), resultsShown),
        );
      }
      const kind = sentKind ?? "hosts";
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
      "Shows one host: its addresses, listening ports and services, versions of its open services, and when it was last seen. Accepts the id from find or what_listens, its complete name, or an address.",
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
              "This host does not exist at that time: search with find. If it was deleted, timeline still shows it.",
            );
          }
          return Object.fromEntries(columns.map((field) => [field, fieldOf(host, field)]));
        }),
      );
    },
  }),
  map: tool({
    title: "Map",
    description:
      "Draws what is around one host as a Mermaid flowchart: its subnets, the hosts that it runs on or that run on it and, with a depth of 2, the other hosts in its subnets. Accepts the id, the complete name, or an address. In labels, characters such as quotes are written as #number;.",
    input: z
      .strictObject({
        ...hostNames,
        layer: one(
          layers,
          "l2: hosts and the devices that their interfaces hear; l3: hosts and subnets; services: services, their hosts, and what they run on.",
        ).default("l3"),
        depth: integer(1, maximumDepth)
          .default(1)
          .describe("Maximum distance from the host. If the map is too large, use a smaller one."),
        at,
      })
      .refine(isOneName, oneName),
    begin: ({ layer, depth, ...sent }) =>
      withHost(sent, (host_id) => {
        const query = { layer, depth, host_id, at: sent.at };
        return new Step({ method: "GET", path: "topology", query, accept: mermaid }, ({ data }) => {
          if (data === emptyMap) {
            throw new ArgumentError(
              "This host does not exist at that time: search with find. If it was deleted, timeline still shows it.",
            );
          }
          return { mermaid: data };
        });
      }),
  }),
  list_vlans: tool({
    title: "List VLANs",
    description:
      "Lists the VLANs of networks with their numbers, how many interfaces and hosts are in them, and their subnets. Use find with kind interfaces for the interfaces themselves.",
    input: z.strictObject({ network_id, at, ...page(50) }),
    begin: (query) =>
      read("vlans", query, (body) =>
        pageOf(body, ["vlan_number", "network_id", "interfaces", "hosts", "subnet_ids"]),
      ),
  }),
  available_ips: tool({
    title: "Available IP addresses",
    description:
      "Lists the lowest addresses of a subnet that no host has, for questions such as which address is free. It reserves nothing. Find the id of the subnet with find and kind subnets.",
    input: z.strictObject({
      subnet_id: id.describe("The id of the subnet."),
      limit: limit(10),
    }),
    begin: ({ subnet_id, limit: most }) =>
      read(`subnets/${subnet_id}/available-ips`, { limit: most }, ({ data }) =>
        isObject(data) ? data : {},
      ),
  }),
  what_listens: tool({
    title: "Listening services",
    description:
      "Lists hosts with their listening ports and services. Use it for questions such as which hosts run SSH, what runs on port 8080, or what is exposed on a network. Narrow it with port or service.",
    input: z.strictObject({
      port: portText.optional().describe("A port such as 443 or 161/Udp."),
      service: text("The complete name or definition of a service, such as Nginx."),
      network_id,
      at,
      ...page(20),
    }),
    begin: ({ port, ...query }) => {
      const sent = port && [port.number, port.protocol].filter((part) => part !== null).join("/");
      return read("hosts", { ...query, port: sent }, (body) =>
        pageOf(body, ["id", "name", "ip", "listens"], (host) => [
          ...["id", "name", "ip"].map((field) => fieldOf(host, field)),
          cut(matching(host, { port, service: query.service })),
        ]),
      );
    },
  }),
  what_changed: tool({
    title: "Changes",
    description:
      "Lists what appeared, changed or disappeared on the networks since an instant (by default the last 24 hours), oldest first. Continue with cursor while has_more is true.",
    input: z.strictObject({
      since: instant("Only changes after this instant, such as 2026-04-01T00:00:00Z or -24h."),
      cursor,
      network_id,
      host_id: uuid("Only this host and its children."),
      entity: one(changeEntities, "Only this kind of record.").optional(),
      change: one(changeKinds, "Only this kind of change.").optional(),
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
      "Lists the changes to one record, newest first, even if it was deleted; for a host, includes its children. Use it to find out when something appeared or changed, and who changed it.",
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
        error: "name and ip identify hosts only: for another kind of record, send its id.",
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
    title: "Scan status",
    description:
      "Lists the latest scans, newest first, with phase, progress in percent, discovered hosts and errors. Use it after scan_network and rescan_host, and to check how current the data is.",
    input: z.strictObject({
      network_id,
      daemon_id: uuid("Only scans of this daemon."),
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
      "Starts a scan by a daemon, which sends real traffic to the devices on its network for several minutes. Use it only if the user requested it. With only network_id, it starts nothing and lists the network's daemons: call it again with a daemon_id. Then follow scan_status.",
    input: z.strictObject({
      daemon_id: uuid("The daemon that scans."),
      network_id: uuid("Lists the daemons of this network without starting a scan."),
      is_full_scan: z
        .boolean()
        .optional()
        .describe(
          "true: all TCP ports; false: well-known ports. Omit it to let the service choose.",
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
  rescan_host: tool({
    title: "Rescan a host",
    description:
      "Starts a scan that updates only one host, for example to check whether a port is still open. The daemon sends real traffic to its whole network for a few minutes, so use it only if the user requested it. Then follow scan_status.",
    input: z.strictObject(hostNames).refine(isOneName, oneName),
    changes: true,
    begin: (sent) =>
      withHost(
        sent,
        (id) =>
          new Step({ method: "POST", path: `hosts/${id}/rescan`, json: {} }, ({ data }) => ({
            started: true,
            ...tableOf([isObject(data) ? data : {}], ["id", "daemon_id", "phase"]),
          })),
      ),
  }),
};
