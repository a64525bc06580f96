/**
 * Sends the largest legal request to every operation in the OpenAPI document and to every tool, one
 * at a time. The Worker runs in bare workerd with a small heap. Each request must stay within
 * limits for bytes, CPU time and memory.
 *
 *   node --test test/load/operations.ts            every operation
 *   LOAD_SAMPLE=8 node --test test/load/operations.ts   every eighth, and all tools
 */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { neon, neonConfig } from "@neondatabase/serverless";
import * as z from "zod";
import { mintOperatorKey } from "../../src/api-key.ts";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import { maxBodyBytes } from "../../src/http/body/large-bodies.ts";
import { jsonSchemaOf } from "../../src/mcp/arguments.ts";
import { tools } from "../../src/mcp/tools.ts";
import { bundle, workerSource } from "../bench/bundle.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../bench/database-process.ts";
import { keyOf } from "../bench/load.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "../bench/process.ts";
import { type RunningWorker, smallHeapMib, startWorkerd } from "../bench/workerd.ts";
import { paths } from "../helpers/document.ts";
import { recountRecords } from "../helpers/record-counts.ts";

const sample = Number(process.env["LOAD_SAMPLE"] ?? 1);

/**
 * The limits of one request. A page of 1,000 hosts is sent in chunks, so it takes time but little
 * memory.
 */
const maxMoreMib = 64;
const maxCpuMs = 3000;
const maxBytes = 24 * 2 ** 20;
const maxToolBytes = 2 ** 20;
const maxWriteBytes = 8 * 2 ** 20;

/** Parameters that are not sent: they conflict with others, or shrink the response. */
const notSent = ["at", "all", "fields", "from_session", "include", "offset", "to", "to_session"];

const hosts = 300;
const parts = 20;
const namespace = "load";
const key = keyOf(1);
const operatorKey = mintOperatorKey();

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const operationSchema = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z
    .array(
      z.object({ name: z.string(), in: z.string(), schema: z.record(z.string(), z.unknown()) }),
    )
    .default([]),
  requestBody: z
    .object({
      content: z.object({
        "application/json": z.object({ schema: z.unknown(), example: z.unknown() }),
      }),
    })
    .optional(),
});

const described = z.record(z.string(), z.record(z.string(), operationSchema)).parse(paths);
const schemas: Readonly<Record<string, unknown>> = document.components.schemas;

function resolved(schema: unknown): Schema {
  if (!isSchema(schema)) {
    return {};
  }
  const { $ref } = schema;
  return typeof $ref === "string" ? resolved(schemas[$ref.split("/").at(-1) ?? ""]) : schema;
}

/** Takes three bytes in UTF-8. In V8, it makes every character of its string take two bytes. */
const wide = "\u7db2";

/** Values of fields whose format is not in their schema, by field name. */
const customValues: Readonly<Record<string, (number: number) => unknown>> = {
  ip_address: (number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
  cidr: (number) => `10.${number >> 8}.${number & 255}.0/24`,
  mac_address: (number) => `02:00:00:00:${hex(number >> 8)}:${hex(number & 255)}`,
  url: () => `https://example.com/${"a".repeat(2000)}`,
  color: () => "Blue",
  ip: () => "10.0.0.1",
  mac: () => "02:00:00:00:00:01",
  port: () => "443/Tcp",
};
const hex = (value: number) => (value & 255).toString(16).padStart(2, "0");

/**
 * The largest value that a schema allows.
 * @param most the maximum number of members in a list, and in all lists nested in one list combined
 */
function largestOf(given: unknown, most: number, name = "", number = 0): unknown {
  const schema = resolved(given);
  const alternatives = [schema["oneOf"], schema["anyOf"]].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (alternatives.length > 0 && !customValues[name]) {
    return largestOf(alternatives.at(-1), most, name, number);
  }
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].at(number % schema["enum"].length);
  }
  if (customValues[name]) {
    return customValues[name](number);
  }
  const [type] = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const bound = (keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise);
  switch (type) {
    case "integer":
    case "number":
      return Math.max(bound("minimum", 0), bound("maximum", 1000) - number);
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: Math.min(most, bound("maxItems", most)) }, (_, at) =>
        largestOf(
          schema["items"],
          Math.max(1, Math.floor(most / bound("maxItems", most))),
          name,
          at,
        ),
      );
    case "object":
      return Object.fromEntries(
        Object.entries(isSchema(schema["properties"]) ? schema["properties"] : {}).flatMap(
          ([field, property]) =>
            /^Ignored/.test(String(resolved(property)["description"])) || field === "id"
              ? []
              : [[field, largestOf(property, most, field, number)]],
        ),
      );
    default:
      if (schema["format"] === "uuid") {
        return knownIds[name] ?? crypto.randomUUID();
      }
      if (schema["format"] === "date-time") {
        return "2026-01-01T00:00:00.000Z";
      }
      return wide.repeat(Math.max(0, Math.min(bound("maxLength", 255), 4096) - 8)) + String(number);
  }
}

/** The largest JSON that a schema allows and that is within the size limit for a body. */
function largestBody(schema: unknown): string {
  let text = "";
  for (let most = 1000; most >= 1; most = Math.floor(most * 0.7)) {
    text = JSON.stringify(largestOf(schema, most));
    const members = text.split(/[,[{]/).length;
    if (Buffer.byteLength(text) < maxBodyBytes && members < 10_000) {
      break;
    }
  }
  return text;
}

/**
 * The example of a body. For a bulk request, a hundred copies of the example's first record, with
 * different names.
 */
function manyOf(example: unknown): unknown {
  const [first] = Array.isArray(example) ? example : [];
  return isSchema(first) && "name" in first
    ? Array.from({ length: 100 }, (_, number) => ({ ...first, name: `${first["name"]} ${number}` }))
    : example;
}

/** Gives the patches of a bulk patch the ids of existing records. */
function withIds(collection: string, text: string): string {
  const patches = z.array(z.looseObject({})).parse(JSON.parse(text));
  const ids = manyIds[collection] ?? [];
  return JSON.stringify(
    patches.slice(0, ids.length).map((patch, at) => ({ ...patch, id: ids[at] })),
  );
}

let database: DatabaseProcess;
let worker: RunningWorker;
/** Ids of records, by the names of fields that refer to them, and by collection. */
const knownIds: Record<string, string> = {};
/** The ids of up to 100 records of each collection. */
const manyIds: Record<string, readonly string[]> = {};

interface Answer {
  status: number;
  bytes: number;
}

/** Sends a request on a new connection, and counts the bytes of the response. */
function send(
  method: string,
  path: string,
  body?: string,
  contentType = "application/json",
  bearer = key,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(worker.origin + path, {
      method,
      agent: false,
      headers: {
        Authorization: `Bearer ${bearer}`,
        ...(body !== undefined && {
          "Content-Type": contentType,
          "Content-Length": Buffer.byteLength(body),
        }),
      },
    });
    outgoing.setTimeout(120_000, () => outgoing.destroy(new Error("No answer in time.")));
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      incoming.on("error", reject);
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, bytes }));
    });
    outgoing.end(body);
  });
}

const pageSchema = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

before(async () => {
  database = await startDatabaseProcess({
    inventory: { namespace, organizations: 2, history: false, bindings: 200, credentials: 10 },
  });
  neonConfig.fetchEndpoint = database.endpoint;
  const sql = neon(database.connectionString);
  const network = crypto.randomUUID();
  const text = wide.repeat(80);
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`insert into networks (id, organization_id, name)
      select ${network}, id, ${network} from organizations where name = 'load 1'`,
    sql`insert into hosts (organization_id, network_id, name, sys_descr, sys_contact, model, operating_system,
        last_seen_at, valid_from)
      select organization_id, id, 'Host ' || number, ${text}, ${text}, ${text}, ${text}, now(), now()
      from networks, generate_series(1, ${hosts}::int) as number where id = ${network}`,
    sql`insert into ports (organization_id, network_id, host_id, number, protocol, last_seen_at, valid_from)
      select organization_id, network_id, id, number, 'Tcp', now(), now()
      from hosts, generate_series(1, ${parts}::int) as number where network_id = ${network}`,
    sql`insert into ip_addresses (organization_id, network_id, host_id, address, last_seen_at, valid_from)
      select organization_id, network_id, id, inet '10.0.0.0' + number, now(), now()
      from hosts, generate_series(1, ${parts}::int) as number where network_id = ${network}`,
    sql`insert into services (organization_id, network_id, host_id, name, service_definition, position,
        last_seen_at, valid_from)
      select organization_id, network_id, id, ${wide.repeat(90)} || number, 'Service', number, now(), now()
      from hosts, generate_series(1, ${parts}::int) as number where network_id = ${network}`,
    sql`insert into bindings (organization_id, network_id, host_id, type, service_id, port_id,
        last_seen_at, valid_from)
      select service.organization_id, service.network_id, service.host_id, 'Port', service.id, port.id,
        now(), now()
      from services as service join ports as port
        on port.host_id = service.host_id and port.number = service.position
      where service.network_id = ${network}`,
    sql`insert into app.operator_keys (name, key_hash, key_hint)
      values ('load', sha256(convert_to(${operatorKey}, 'UTF8')), right(${operatorKey}, 4))`,
    sql.query(recountRecords, [null]),
  ]);
  await sql`analyze`;
  worker = await startWorkerd({ ...workerSource(bundle(), database), heapMib: smallHeapMib });
  for (const path of Object.keys(described)) {
    const [, collection] = /^\/api\/v1\/(.+)\/\{id\}$/.exec(path) ?? [];
    if (collection !== undefined) {
      const answer = await fetch(`${worker.origin}/api/v1/${collection}?limit=100`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const { data } = pageSchema.safeParse(await answer.json());
      const id = data?.data[0]?.id;
      manyIds[collection] = data?.data.map((record) => record.id) ?? [];
      if (id !== undefined) {
        knownIds[collection] = id;
        knownIds[`${collection.replace(/^.*\//, "").replace(/e?s$/, "")}_id`] = id;
      }
    }
  }
  knownIds["network_id"] = network;
});

after(async () => {
  await worker?.stop();
  await database?.stop();
});

interface Largest {
  name: string;
  method: string;
  path: string;
  body?: string;
  contentType?: string;
  bearer?: string;
  maxBytes: number;
}

/**
 * The largest requests to an operation. With a body: one with the largest body, and one with the
 * example. Otherwise: one for the largest response, and one with the maximum value of every
 * parameter.
 */
function largestRequests(
  path: string,
  method: string,
  { operationId, security, ...operation }: z.output<typeof operationSchema>,
): Largest[] {
  const [, collection = ""] = /^\/api\/v1\/([^{]+?)(\/\{|$)/.exec(path) ?? [];
  const filled = path
    .replace("{id}", knownIds[collection] ?? crypto.randomUUID())
    .replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  const isOfOperators = security.some((scheme) => "operatorKey" in scheme);
  const own = { method: method.toUpperCase(), ...(isOfOperators && { bearer: operatorKey }) };
  const schema = operation.requestBody?.content["application/json"].schema;
  if (schema !== undefined) {
    const isBulkPatch = method === "patch" && path.endsWith("/bulk");
    const contentType =
      method === "patch" && !isBulkPatch ? "application/merge-patch+json" : "application/json";
    const sent = { ...own, path: filled, contentType, maxBytes: maxWriteBytes };
    const example = operation.requestBody?.content["application/json"].example;
    return [
      { name: operationId, body: largestBody(schema) },
      { name: `${operationId}, as its example`, body: JSON.stringify(manyOf(example)) },
    ].map(({ name, body }) => ({
      ...{ ...sent, name },
      body: isBulkPatch ? withIds(collection.replace("/bulk", ""), body) : body,
    }));
  }
  const query = new URLSearchParams();
  const page = new URLSearchParams();
  for (const { name, in: location, schema: parameter } of operation.parameters) {
    const { type, maxItems } = resolved(parameter);
    if (location !== "query" || name === "cursor") {
      continue;
    }
    if (name === "limit") {
      query.set(name, "1000");
      page.set(name, "1000");
    } else if (name === "from" || name === "since") {
      query.set(name, "2020-01-01T00:00:00Z");
      page.set(name, "2020-01-01T00:00:00Z");
    } else if (name === "last_seen_after" || name === "last_seen_before") {
      query.set(name, name === "last_seen_after" ? "2020-01-01T00:00:00Z" : "2099-01-01T00:00:00Z");
    } else if (name === "include" && type === "array") {
      page.set(name, "records");
    } else if (name === "include_children") {
      page.set(name, "true");
    } else if (type === "array") {
      const values = largestOf(parameter, Number(maxItems), name);
      for (const value of new Set(Array.isArray(values) ? values : [])) {
        query.append(name, String(value));
      }
    } else if (!notSent.includes(name)) {
      query.set(name, String(largestOf(parameter, 1, name)));
    }
  }
  return [page, query].flatMap((parameters, index) =>
    index === 1 && query.toString() === page.toString()
      ? []
      : [
          {
            ...own,
            name: index === 0 ? operationId : `${operationId}, with every parameter`,
            path: parameters.size === 0 ? filled : `${filled}?${parameters}`,
            maxBytes,
          },
        ],
  );
}

async function measured({ method, path, body, contentType, bearer }: Largest) {
  forgetPeak(worker.pid);
  const resting = memoryMib(worker.pid);
  const startedCpuMs = cpuMs(worker.pid);
  const { status, bytes } = await send(method, path, body, contentType, bearer);
  return {
    status,
    bytes,
    cpuMs: cpuMs(worker.pid) - startedCpuMs,
    moreMib: peakMemoryMib(worker.pid) - resting,
  };
}

/** The largest valid arguments of a tool. */
function largestArguments(name: string, fields: readonly string[]): object {
  const { properties } = z
    .object({ properties: z.record(z.string(), z.unknown()) })
    .parse(jsonSchemaOf(tools[name]?.input ?? z.object({})));
  return {
    ...("limit" in properties && { limit: 50 }),
    ...("fields" in properties && fields.length > 0 && { fields }),
    ...(["get_host", "timeline"].includes(name) && { id: knownIds["hosts"] }),
    ...(name === "what_changed" && { since: "2020-01-01T00:00:00Z" }),
  };
}

const callOf = (name: string, sent: object) => ({
  method: "POST",
  path: "/mcp",
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: sent },
  }),
});

/** All fields of the records that a tool returns, parsed from its own error message. */
async function fieldsOf(name: string): Promise<string[]> {
  const { method, path, body } = callOf(name, {
    ...largestArguments(name, []),
    fields: ["nonsense"],
  });
  const answer = await fetch(worker.origin + path, {
    method,
    body,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  });
  const [, list = ""] = /The fields are ([a-z_, ]+)\./.exec(await answer.text()) ?? [];
  return list === "" ? [] : list.split(", ").slice(0, 40);
}

test("the largest call of each tool stays within its limits", { timeout: 600_000 }, async (t) => {
  for (const name of Object.keys(tools)) {
    await t.test(name, async (one) => {
      const fields = await fieldsOf(name);
      const largest = {
        ...callOf(name, largestArguments(name, fields)),
        name,
        maxBytes: maxToolBytes,
      };
      const result = await measured(largest);
      one.diagnostic(
        `${name}: ${result.status}, ${fields.length} fields, ${result.bytes} bytes, ${result.cpuMs.toFixed(0)} ms of CPU, +${result.moreMib.toFixed(1)} MiB`,
      );
      assert.equal(result.status, 200);
      assert(result.bytes <= maxToolBytes, `${result.bytes} bytes`);
      assert(result.cpuMs <= maxCpuMs, `${result.cpuMs} ms of CPU`);
      assert(result.moreMib <= maxMoreMib, `${result.moreMib} MiB more`);
    });
  }
});

test("5,400 repetitions of a field are rejected at little cost", async (t) => {
  const fields = Array.from({ length: 5400 }, () => "listens");
  const result = await measured({
    ...callOf("find", { limit: 50, fields }),
    name: "find",
    maxBytes: 4096,
  });
  t.diagnostic(
    `${result.status}, ${result.bytes} bytes, ${result.cpuMs.toFixed(0)} ms of CPU, +${result.moreMib.toFixed(1)} MiB`,
  );
  assert(result.bytes <= 4096, `${result.bytes} bytes`);
  assert(result.cpuMs <= 200, `${result.cpuMs} ms of CPU`);
  assert(result.moreMib <= 8, `${result.moreMib} MiB more`);
});

test("32 concurrent calls of the maximum size do not crash the isolate, and each gets a response", async (t) => {
  const fields = await fieldsOf("find");
  const { method, path, body } = callOf("find", { limit: 50, fields });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  forgetPeak(worker.pid);
  const resting = memoryMib(worker.pid);
  const statuses = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const response = await fetch(worker.origin + path, { method, body, headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  t.diagnostic(`+${(peakMemoryMib(worker.pid) - resting).toFixed(1)} MiB`);
  assert.deepEqual(
    statuses.filter((status) => ![200, 429, 503].includes(status)),
    [],
  );
  assert.equal((await fetch(`${worker.origin}/api/health`)).status, 200);
});

/** Deletions come last, since they remove the records of the other requests. */
const order = ["get", "post", "put", "patch", "delete"];

test("the largest legal request to each operation stays within its limits", {
  timeout: 1_800_000,
}, async (t) => {
  const all = Object.entries(described)
    // Readiness needs bindings that bare workerd does not have; `imports.ts` measures imports.
    .filter(([path]) => path !== "/api/health/ready" && !path.endsWith("/imports"))
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([method, operation]) => ({ path, method, operation })),
    )
    .toSorted((one, other) => order.indexOf(one.method) - order.indexOf(other.method))
    .filter((_, index) => index % sample === 0);
  const accepted: string[] = [];
  for (const { path, method, operation } of all) {
    for (const largest of largestRequests(path, method, operation)) {
      await t.test(largest.name, async (one) => {
        const result = await measured(largest);
        one.diagnostic(
          `${largest.name}: ${result.status}, ${Buffer.byteLength(largest.body ?? largest.path)} bytes sent, ${result.bytes} received, ${result.cpuMs.toFixed(0)} ms of CPU, +${result.moreMib.toFixed(1)} MiB`,
        );
        if (result.status < 300) {
          accepted.push(largest.name);
        }
        assert(result.status < 500 && result.status !== 401, `status ${result.status}`);
        assert(result.bytes <= largest.maxBytes, `${result.bytes} bytes`);
        assert(result.cpuMs <= maxCpuMs, `${result.cpuMs} ms of CPU`);
        assert(result.moreMib <= maxMoreMib, `${result.moreMib} MiB more`);
      });
    }
  }
  t.diagnostic(`${accepted.length} of the requests to ${all.length} operations succeeded.`);
});
