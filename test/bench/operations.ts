import * as z from "zod";
import { reportOf } from "./import-report.ts";
import { type BenchRequest, send } from "./requests.ts";
import { idOf, largest, list, middle, operations, ordinary, updateCredential } from "./scene.ts";

/** An operation that the bench measures. */
export interface MeasuredOperation {
  name: string;
  /** The database: the one filled by `inventory`, or the one filled by `networkInventory`. */
  data: "bindings" | "hosts";
  /** Prepares and returns requests, each of which must be sent only once. */
  requests(origin: string, amount: number): Promise<BenchRequest[]>;
  /** The expected status. */
  status: number;
  /**
   * True if it takes so long that it is measured only a few times, and never with concurrent
   * clients.
   */
  isLong: boolean;
}

const once = { status: 200, isLong: false };

const same = (
  name: string,
  data: MeasuredOperation["data"],
  request: BenchRequest,
  isLong = false,
): MeasuredOperation => ({
  ...once,
  name,
  data,
  isLong,
  requests: async (_, amount) => Array(amount).fill(request),
});

/** A counter, so that no two requests in a process are equal. */
let made = 0;
const different = (
  name: string,
  data: MeasuredOperation["data"],
  request: (number: number) => BenchRequest,
  rest: Partial<MeasuredOperation> = {},
): MeasuredOperation => ({
  ...once,
  ...rest,
  name,
  data,
  requests: async (_, amount) => Array.from({ length: amount }, () => request(made++)),
});

const requestOf = (name: string): BenchRequest => {
  const match = operations().find((operation) => operation.name === name);
  if (!match) {
    throw new Error(`there is no operation ${name}`);
  }
  return match.request;
};

const network = idOf("network", 1, 0);
const created = z.object({ data: z.object({ id: z.guid() }) });

/** A host with 20 ports. */
const hostWith20Ports = (firstPort: number) => ({
  network_id: network,
  name: "Bench",
  ports: Array.from({ length: 20 }, (_, index) => ({ number: firstPort + index, protocol: "Tcp" })),
});

/** An operation on a host with 20 ports. Each request has a new host. */
const onNewHost = (
  name: string,
  request: Pick<BenchRequest, "method" | "json">,
): MeasuredOperation => ({
  ...once,
  name,
  data: "hosts",
  async requests(origin, amount) {
    const requests: BenchRequest[] = [];
    for (let number = 0; number < amount; number++) {
      const { body } = await send(
        origin,
        { method: "POST", path: "/api/v1/hosts", key: largest, json: hostWith20Ports(1000) },
        { status: 201 },
      );
      const { id } = created.parse(JSON.parse(body)).data;
      requests.push({ ...request, path: `/api/v1/hosts/${id}`, key: largest });
    }
    return requests;
  },
});

/** Imports of new hosts, with different hosts in each request. */
export const importOf = (name: string, hosts: number): MeasuredOperation => {
  const scans = new Map<string, number>();
  return {
    ...once,
    name,
    data: "hosts",
    isLong: true,
    async requests(origin, amount) {
      return Array.from({ length: amount }, () => {
        const scan = scans.get(origin) ?? 0;
        scans.set(origin, scan + 1);
        return {
          method: "POST",
          path: `/api/v1/networks/${network}/imports`,
          key: largest,
          json: reportOf(hosts, [22, 443], scan),
        };
      });
    },
  };
};

const organization = requestOf("rename an organization");

export const putCredential = different("PUT credential", "bindings", updateCredential);

/**
 * Operations on the inventory of bindings. The operations of the service's first version come
 * first.
 */
const ofBindings: readonly MeasuredOperation[] = [
  putCredential,
  different("PUT organization", "bindings", (number) => ({
    ...organization,
    json: `Renamed ${number}`,
  })),
  same("POST retry-connection", "bindings", requestOf("retry a daemon's connection")),
  same("GET credentials", "bindings", list("credentials", ordinary)),
  same("GET bindings", "bindings", list("bindings", ordinary)),
  same("GET bindings with at", "bindings", list(`bindings?at=${middle}`, ordinary)),
  same("GET daemons", "bindings", list("daemons", ordinary)),
  same("GET one daemon", "bindings", requestOf("read a daemon")),
  same("GET networks", "bindings", list("networks", ordinary)),
  different(
    "POST tags",
    "bindings",
    (number) => ({
      method: "POST",
      path: "/api/v1/tags",
      key: ordinary,
      json: { name: `Made ${number}` },
    }),
    { status: 201 },
  ),
  same("GET bindings?limit=0", "bindings", list("bindings?limit=0"), true),
];

/** Operations on the inventory of hosts. */
const ofHosts: readonly MeasuredOperation[] = [
  same("GET hosts with children", "hosts", list("hosts")),
  same("GET services", "hosts", list("services")),
  same("GET ports", "hosts", list("ports")),
  same("GET ip-addresses", "hosts", list("ip-addresses")),
  same("GET subnets", "hosts", list("subnets")),
  same("GET one host", "hosts", list(`hosts/${idOf("hosts", 1, 0)}`)),
  same("GET hosts, q of one host", "hosts", list("hosts?q=camera-0123")),
  same("GET hosts, q of an eighth", "hosts", list("hosts?q=web")),
  same("GET hosts, q of two letters", "hosts", list("hosts?q=we")),
  onNewHost("PUT host with 20 ports", { method: "PUT", json: hostWith20Ports(2000) }),
  onNewHost("DELETE host with 20 ports", { method: "DELETE" }),
  same("GET hosts?limit=0", "hosts", list("hosts?limit=0"), true),
  importOf("import of 2,000 new hosts", 2000),
];

/** The operations that the bench measures in each build. */
export const measuredOperations: readonly MeasuredOperation[] = [...ofBindings, ...ofHosts];

/** The operations whose cost is measured as the inventory grows. */
export const growingOperations: readonly MeasuredOperation[] = [
  same("GET bindings", "hosts", list("bindings")),
  same("GET bindings with at", "hosts", list(`bindings?at=${middle}`)),
  same(
    "GET bindings of a service",
    "hosts",
    list(`bindings?service_id=${idOf("services", 1, 0, 0)}`),
  ),
  same("GET bindings of a network", "hosts", list(`bindings?network_id=${network}`)),
  same("GET one binding", "hosts", list(`bindings/${idOf("bindings", 1, 0, 0)}`)),
  ...ofHosts.filter(({ isLong }) => !isLong),
];
