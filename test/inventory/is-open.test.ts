import { describe, expect, test } from "vitest";
import * as z from "zod";
import { passedInstant } from "../helpers/binding-versions.ts";
import { linesOf } from "../helpers/csv.ts";
import { sql } from "../helpers/database.ts";
import { mintKey } from "../helpers/organization.ts";
import { everyPort, type Imports, open, openImports } from "../imports/helpers.ts";

/** The open ports and services of the only host. */
interface Open {
  ports: number[];
  services: string[];
}

const allOpen: Open = { ports: [80, 8443], services: ["Console", "Nginx"] };

/** A way to read what is open: the ports, the services, or both. */
type Way = (imports: Imports, query: Readonly<Record<string, string>>) => Promise<Partial<Open>>;

const textOf = async (
  { api, organization, network_id }: Imports,
  path: string,
  query: Readonly<Record<string, string>> = {},
  headers: Record<string, string> = {},
) => {
  const parameters = new URLSearchParams({ network_id, ...query });
  const { status, text } = await api.send("GET", `/api/v1/${path}?${parameters}`, {
    key: organization.keys.viewer,
    headers,
  });
  expect([path, status, text]).toEqual([path, 200, text]);
  return text;
};

const page = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  meta: z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) }),
});

/** Filters with an asynchronous predicate. */
const filterAsync = async <One>(all: readonly One[], predicate: (one: One) => Promise<boolean>) => {
  const results = await Promise.all(all.map(predicate));
  return all.filter((_, index) => results[index]);
};

const finds = async (
  imports: Imports,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<boolean> => page.parse(JSON.parse(await textOf(imports, path, query))).data.length > 0;

const port = z.looseObject({ number: z.int(), is_open: z.boolean() });
const service = z.looseObject({ name: z.string(), is_open: z.boolean() });

/** The open ports and services, according to their `is_open` field. */
const openOf = (ports: unknown, services: unknown): Open => ({
  ports: z
    .array(port)
    .parse(ports)
    .filter(({ is_open }) => is_open)
    .map(({ number }) => number)
    .sort((one, other) => one - other),
  services: z
    .array(service)
    .parse(services)
    .filter(({ is_open }) => is_open)
    .map(({ name }) => name)
    .sort(),
});

const labelled = (label: string | undefined): string[] =>
  (label ?? "").split(",").filter((one) => one !== "");

const numbersOf = (names: readonly string[]): number[] =>
  names.map((name) => Number.parseInt(name, 10)).sort((one, other) => one - other);

const groups = z.array(
  z.object({ targets: z.array(z.string()), labels: z.record(z.string(), z.string()) }),
);

const inventory = z
  .object({
    _meta: z.object({
      hostvars: z.record(
        z.string(),
        z.object({
          network_inventory: z.object({
            ports: z.array(z.string()),
            services: z.array(z.object({ name: z.string(), ports: z.array(z.string()) })),
          }),
        }),
      ),
    }),
  })
  .catchall(z.object({ hosts: z.array(z.string()) }));

const toolResult = z.object({
  result: z.object({ content: z.tuple([z.object({ text: z.string() })]) }),
});

/** Calls a tool, and returns the rows or the object in its result. */
async function tool({ api, organization, network_id }: Imports, name: string, sent: object) {
  const params = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
    name,
    arguments: name === "get_host" ? sent : { network_id, ...sent },
  };
  const { body } = await api.send("POST", "/mcp", {
    key: organization.keys.viewer,
    headers: {
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": name,
    },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  });
  const [{ text }] = toolResult.parse(body).result.content;
  return z.looseObject({ rows: z.array(z.array(z.unknown())).default([]) }).parse(JSON.parse(text));
}

/** Parses a value in a tool's `listens` column, such as `80/Tcp Nginx`. */
const listening = (listens: unknown): Open => {
  const lines = z.array(z.string()).parse(listens);
  return {
    ports: numbersOf(lines),
    services: [...new Set(lines.flatMap((line) => line.split(" ").slice(1)))].sort(),
  };
};

/** The reads that also accept a past instant. */
const waysAt: Record<string, Way> = {
  "the lists of ports and of services": async ({ list }, query) =>
    openOf(await list("ports", query), await list("services", query)),
  "the lists, streamed": async ({ list }, query) =>
    openOf(
      await list("ports", { ...query, limit: "0" }),
      await list("services", { ...query, limit: "0" }),
    ),
  "the filter is_open=true": async ({ list }, query) => ({
    ports: (await list("ports", { ...query, is_open: "true", order_by: "number" })).map(
      ({ number }) => number,
    ),
    services: (await list("services", { ...query, is_open: "true", order_by: "name" })).map(
      ({ name }) => name,
    ),
  }),
  "the filter is_open=false": async ({ list }, query) => {
    const closed = { ...query, is_open: "false", limit: "1000" };
    const ports = (await list("ports", closed)).map(({ number }) => number);
    const services = (await list("services", closed)).map(({ name }) => name);
    return {
      ports: allOpen.ports.filter((one) => !ports.includes(one)),
      services: allOpen.services.filter((one) => !services.includes(one)),
    };
  },
  "the filter is_open together with other filters": async ({ list }, query) => ({
    ports: await filterAsync(allOpen.ports, async (number) => {
      const sent = { ...query, number: `${number}`, protocol: "Tcp", q: `${number}` };
      return (await list("ports", { ...sent, is_open: "true" })).length > 0;
    }),
    services: await filterAsync(allOpen.services, async (name) => {
      const sent = { ...query, q: name, group_by: "host", order_by: "name" };
      return (await list("services", { ...sent, is_open: "true" })).length > 0;
    }),
  }),
  "pages by cursor": async (imports, query) => {
    const walk = async (path: string) => {
      const records: unknown[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const sent = { ...query, limit: "1", ...(cursor !== "" && { cursor }) };
        const { data, meta } = page.parse(JSON.parse(await textOf(imports, path, sent)));
        records.push(...data);
        cursor = meta.pagination.next_cursor;
      }
      return records;
    };
    return openOf(await walk("ports"), await walk("services"));
  },
  CSV: async (imports, query) => {
    const rows = async (path: string, name: string) => {
      const [header = [], ...lines] = linesOf(
        await textOf(imports, path, query, { Accept: "text/csv" }),
      );
      const cell = (line: string[], column: string) => line[header.indexOf(column)] ?? "";
      return lines
        .filter((line) => cell(line, "is_open") === "true")
        .map((line) => cell(line, name));
    };
    return {
      ports: numbersOf(await rows("ports", "number")),
      services: (await rows("services", "name")).sort(),
    };
  },
  "JSON lines": async (imports, query) => {
    const lines = async (path: string) => {
      const text = await textOf(imports, path, query, { Accept: "application/x-ndjson" });
      return text
        .trimEnd()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown);
    };
    return openOf(await lines("ports"), await lines("services"));
  },
  "the children of the host": async ({ list }, query) => {
    const hosts = await list("hosts", query);
    return openOf(
      hosts.flatMap(({ ports }) => ports),
      hosts.flatMap(({ services }) => services),
    );
  },
  "hosts?port= and hosts?service=": async (imports, query) => ({
    ports: await filterAsync(allOpen.ports, (one) =>
      finds(imports, "hosts", { ...query, port: `${one}` }),
    ),
    services: await filterAsync(allOpen.services, (one) =>
      finds(imports, "hosts", { ...query, service: one.toUpperCase() }),
    ),
  }),
  "services?port=": async (imports, query) => ({
    ports: await filterAsync(allOpen.ports, (one) =>
      finds(imports, "services", { ...query, port: `${one}/Tcp` }),
    ),
  }),
  "the summary": async (imports, query) => {
    const { data } = z
      .object({
        data: z.object({
          services: z.array(z.object({ service_definition: z.string() })),
          open_ports: z.array(z.object({ number: z.int() })),
        }),
      })
      .parse(JSON.parse(await textOf(imports, "summary", query)));
    return {
      ports: data.open_ports.map(({ number }) => number).sort((one, other) => one - other),
      services: data.services.map((one) => one.service_definition).sort(),
    };
  },
  "the tool what_listens": async (imports, query) => ({
    ports: await filterAsync(allOpen.ports, async (one) => {
      const { rows } = await tool(imports, "what_listens", { ...query, port: `${one}` });
      return rows.some((row) => listening(row[3]).ports.includes(one));
    }),
    services: await filterAsync(allOpen.services, async (one) => {
      const { rows } = await tool(imports, "what_listens", { ...query, service: one });
      return rows.length > 0;
    }),
  }),
  "the tool find": async (imports, query) => {
    const fields = ["number", "name", "is_open"];
    const [ports, services] = await Promise.all(
      ["ports", "services"].map((kind) =>
        tool(imports, "find", {
          ...query,
          kind,
          fields: fields.filter((one) => one !== (kind === "ports" ? "name" : "number")),
        }),
      ),
    );
    const open = (rows: unknown[][] = []) =>
      rows.filter(([, isOpen]) => isOpen).map(([one]) => String(one));
    return { ports: numbersOf(open(ports?.rows)), services: open(services?.rows).sort() };
  },
};

/** The ways of reading that work only for the present. */
const waysNow: Record<string, Way> = {
  "records by their ids": async ({ list, read }) => {
    const [ports, services] = [await list("ports"), await list("services")];
    return openOf(
      await Promise.all(ports.map(({ id }) => read("ports", id))),
      await Promise.all(services.map(({ id }) => read("services", id))),
    );
  },
  "the children of a host by its id": async ({ list, read }) => {
    const hosts = await Promise.all((await list("hosts")).map(({ id }) => read("hosts", id)));
    return openOf(
      hosts.flatMap(({ ports }) => ports),
      hosts.flatMap(({ services }) => services),
    );
  },
  "Prometheus' labels": async (imports) => {
    const [host] = groups.parse(JSON.parse(await textOf(imports, "exports/prometheus")));
    return {
      ports: numbersOf(labelled(host?.labels["__meta_inventory_ports"])),
      services: labelled(host?.labels["__meta_inventory_services"]).sort(),
    };
  },
  "Prometheus' targets": async (imports) => ({
    ports: await filterAsync(allOpen.ports, async (one) => {
      const groupsOfHost = groups.parse(
        JSON.parse(await textOf(imports, "exports/prometheus", { port: `${one}` })),
      );
      const targets = groupsOfHost.flatMap((group) => group.targets);
      // A host without an address has no targets.
      return (
        targets.includes(`192.0.2.1:${one}`) || (groupsOfHost.length > 0 && targets.length === 0)
      );
    }),
    services: await filterAsync(allOpen.services, async (one) => {
      const text = await textOf(imports, "exports/prometheus", { service: one });
      return groups.parse(JSON.parse(text)).length > 0;
    }),
  }),
  "Ansible's variables": async (imports) => {
    const { _meta } = inventory.parse(JSON.parse(await textOf(imports, "exports/ansible")));
    const own = Object.values(_meta.hostvars).map((one) => one.network_inventory);
    return {
      ports: numbersOf(own.flatMap(({ ports }) => ports)),
      services: own.flatMap(({ services }) => services.map(({ name }) => name)).sort(),
    };
  },
  "Ansible's groups": async (imports) => {
    const exported = inventory.parse(JSON.parse(await textOf(imports, "exports/ansible")));
    const names = Object.keys(exported).filter((name) => name.startsWith("service_"));
    return { services: names.map((name) => name.replace("service_", "")).sort() };
  },
  "the filters of an export without ports": async (imports) => ({
    ports: await filterAsync(allOpen.ports, async (one) =>
      (await textOf(imports, "exports/oxidized", { port: `${one}` })).includes(name),
    ),
    services: await filterAsync(allOpen.services, async (one) =>
      (await textOf(imports, "exports/oxidized", { service: one })).includes(name),
    ),
  }),
  "the tool get_host": async (imports) => {
    const hosts = await imports.list("hosts");
    const results = await Promise.all(
      hosts.map(({ id }) => tool(imports, "get_host", { id, fields: ["listens"] })),
    );
    return { ports: listening(results.flatMap((one) => one["listens"])).ports };
  },
};

/** Expects each way to return the expected ports, services, or both, depending on what it reads. */
async function expectOpen(
  imports: Imports,
  ways: Record<string, Way>,
  expected: Open,
  query: Readonly<Record<string, string>> = {},
) {
  const results: Record<string, Partial<Open>> = {};
  for (const [name, way] of Object.entries(ways)) {
    results[name] = await way(imports, query);
  }
  expect(results).toEqual(
    Object.fromEntries(
      Object.entries(results).map(([name, of]) => [
        name,
        {
          ...(of.ports && { ports: expected.ports }),
          ...(of.services && { services: expected.services }),
        },
      ]),
    ),
  );
}

const name = "server";
const addresses = [{ ip_address: "192.0.2.1" }];
const both = { name, addresses, ports: open({ 80: "Nginx", 8443: "Console" }) };
const complete = { scanned_ports: everyPort };

const idsOf = async ({ list }: Imports) => {
  const named = new Map<number | string, string>();
  for (const { number, id } of await list("ports")) {
    named.set(number, id);
  }
  for (const { name: own, id } of await list("services")) {
    named.set(own, id);
  }
  return (one: number | string) => named.get(one) ?? "";
};

const removeBindings = async (
  { list, remove }: Imports,
  matches: (binding: { port_id: string | null }) => boolean,
) => {
  for (const binding of await list("bindings")) {
    if (matches(binding)) {
      await remove("bindings", binding.id);
    }
  }
};

interface Step {
  what: string;
  does(imports: Imports): Promise<unknown>;
  open: Open;
}

const nothing: Open = { ports: [], services: [] };

/** The steps in a host's life, with the ports and services that are open after each step. */
const story: readonly Step[] = [
  { what: "an import finds two services", does: ({ take }) => take([both]), open: allOpen },
  {
    what: "a complete import finds one of them closed",
    does: ({ take }) => take([{ ...both, ports: open({ 80: "Nginx" }), ...complete }]),
    open: { ports: [80], services: ["Nginx"] },
  },
  {
    what: "an import finds it again",
    does: ({ take }) => take([{ ...both, ...complete }]),
    open: allOpen,
  },
  {
    what: "a person deletes a binding",
    does: async (imports) => {
      const idOf = await idsOf(imports);
      await removeBindings(imports, ({ port_id }) => port_id === idOf(80));
    },
    open: { ports: [8443], services: ["Console"] },
  },
  {
    what: "a person binds the service to an address, without a port",
    does: async (imports) => {
      const [address] = await imports.list("ip-addresses");
      const service_id = (await idsOf(imports))("Nginx");
      await imports.create("bindings", {
        type: "IPAddress",
        service_id,
        ip_address_id: address?.id,
      });
    },
    open: { ports: [8443], services: ["Console", "Nginx"] },
  },
  {
    what: "a person binds another service to the closed port, on that address alone",
    does: async (imports) => {
      const [address] = await imports.list("ip-addresses");
      const idOf = await idsOf(imports);
      await imports.create("bindings", {
        type: "Port",
        service_id: idOf("Console"),
        port_id: idOf(80),
        ip_address_id: address?.id,
      });
    },
    open: allOpen,
  },
  {
    what: "the address is deleted, and with it the bindings to it",
    does: async ({ list, remove }) => {
      for (const { id } of await list("ip-addresses")) {
        await remove("ip-addresses", id);
      }
    },
    open: { ports: [8443], services: ["Console"] },
  },
  {
    what: "the last binding is deleted",
    does: (imports) => removeBindings(imports, () => true),
    open: nothing,
  },
  {
    what: "another host, on which a service with the same name listens, is consolidated into it",
    does: async (imports) => {
      const [host] = await imports.list("hosts");
      const id = crypto.randomUUID();
      const other = await imports.create("hosts", {
        name: "other",
        ip_addresses: [{ ip_address: "192.0.2.1" }],
        ports: [{ id, number: 8443, protocol: "Tcp" }],
        services: [{ name: "Console", bindings: [{ type: "Port", port_id: id }] }],
      });
      const path = `hosts/${host?.id}/consolidate/${other.id}`;
      expect(await imports.send("PUT", path)).toMatchObject({ status: 200 });
    },
    open: { ports: [8443], services: ["Console"] },
  },
];

describe("is_open", () => {
  test("is consistent in every response, after each step and at each instant", async () => {
    const imports = await openImports();
    const instants: { at: string; open: Open }[] = [];
    const records = [];
    for (const step of story) {
      await step.does(imports);
      await expectOpen(imports, { ...waysAt, ...waysNow }, step.open);
      instants.push({ at: await passedInstant(), open: step.open });
      records.push(
        (await imports.list("ports")).map(({ id }) => id).sort(),
        (await imports.list("services")).map(({ id }) => id).sort(),
      );
    }
    // Closed ports and services keep their ids.
    expect(new Set(records.map((ids) => ids.join())).size).toBe(2);
    for (const { at, open: then } of instants) {
      await expectOpen(imports, waysAt, then, { at });
    }
  }, 120_000);

  test("is as of the cursor's instant, even if bindings end in the meantime", async () => {
    const imports = await openImports();
    await imports.take([both]);
    const next = async (sent: Record<string, string>) =>
      page.parse(JSON.parse(await textOf(imports, "ports", { limit: "1", ...sent })));
    const first = await next({});
    await removeBindings(imports, () => true);
    const second = await next({ cursor: first.meta.pagination.next_cursor ?? "" });
    expect(openOf([...first.data, ...second.data], []).ports).toEqual(allOpen.ports);
    expect(openOf((await next({})).data, [])).toEqual(nothing);
  });

  test("does not hide closed records from searches, but a host is no longer found through them", async () => {
    const imports = await openImports();
    await imports.take([both]);
    const { list } = imports;
    for (const q of ["8443", "console", "consol"]) {
      expect(await list("hosts", { q })).toHaveLength(1);
    }
    const then = await passedInstant();
    await removeBindings(imports, () => true);
    for (const q of ["8443", "console", "consol"]) {
      expect(await list("hosts", { q, at: then })).toHaveLength(1);
    }
    expect(await list("ports", { number: "8443" })).toMatchObject([{ is_open: false }]);
    expect(await list("ports", { q: "8443" })).toMatchObject([{ is_open: false }]);
    expect(await list("services", { q: "consol" })).toMatchObject([{ is_open: false }]);
    for (const q of ["8443", "console", "consol"]) {
      expect(await list("hosts", { q })).toEqual([]);
    }
    expect((await list("hosts", { q: "8443", port: "80" })).length).toBe(0);
  });

  test("does not change a port's entity tag, start a version, or appear as a change", async () => {
    const imports = await openImports();
    const { take, list, send, network_id } = imports;
    await take([both]);
    const idOf = await idsOf(imports);
    const read = (path: string) => send("GET", path);
    const path = `ports/${idOf(8443)}`;
    const before = await read(path);
    const since = await passedInstant();
    await take([{ ...both, ports: open({ 80: "Nginx" }), ...complete }]);
    const after = await read(path);
    expect(after.headers.get("ETag")).toBe(before.headers.get("ETag"));
    const portIn = (answer: { body: unknown }) => z.object({ data: port }).parse(answer.body).data;
    const { last_seen_at: _, last_discovery_id: __, ...then } = portIn(before);
    expect(portIn(after)).toMatchObject({ ...then, is_open: false });
    const { body } = await read(`changes?network_id=${network_id}&since=${since}`);
    expect(body).toMatchObject({ data: [{ change: "deleted", entity: "Binding" }] });
    expect(await list("services", { is_open: "false" })).toMatchObject([{ id: idOf("Console") }]);
  });

  test("is ignored in requests, so that records can be sent back as they were read", async () => {
    const imports = await openImports();
    const { take, list, read, send, create } = imports;
    await take([both]);
    await removeBindings(imports, ({ port_id }) => port_id !== null);
    const [host] = await list("hosts");
    for (const name of ["ports", "services"] as const) {
      const [record] = await list(name);
      const path = `${name}/${record?.id}`;
      const put = await send("PUT", path, { ...record, is_open: true });
      expect(put).toMatchObject({ status: 200, body: { data: { is_open: false } } });
      const patched = await send("PATCH", path, { is_open: "any" });
      expect(patched).toMatchObject({ status: 200, body: { data: { is_open: false } } });
    }
    expect(
      await create("ports", { host_id: host?.id, number: 22, protocol: "Tcp", is_open: true }),
    ).toMatchObject({ is_open: false });
    const [made] = [await read("hosts", host?.id ?? "")];
    expect(await send("PUT", `hosts/${made.id}`, made)).toMatchObject({ status: 200 });
    expect((await read("hosts", made.id)).ports).toEqual(made.ports);
  });

  test("is included in the records that a request creates", async () => {
    const { create, send } = await openImports();
    const id = crypto.randomUUID();
    const host = await create("hosts", {
      name,
      ports: [
        { id, number: 80, protocol: "Tcp" },
        { number: 81, protocol: "Tcp" },
      ],
      services: [{ name: "Nginx", bindings: [{ type: "Port", port_id: id }] }, { name: "Console" }],
    });
    expect(openOf(host.ports, host.services)).toEqual({ ports: [80], services: ["Nginx"] });
    const bindings = [
      { type: "Port", port_id: host.ports.find(({ number }) => number === 81)?.id },
    ];
    const bulk = await send("POST", "services/bulk", [
      { host_id: host.id, name: "Console", bindings },
      { host_id: host.id, name: "Closed" },
    ]);
    expect(bulk).toMatchObject({
      status: 201,
      body: { data: [{ is_open: true }, { is_open: false }] },
    });
  });

  test("is correct in a host that is streamed in parts", async () => {
    const imports = await openImports();
    const { create, list, read, organization, network_id } = imports;
    const { id } = await create("hosts", { name });
    // Without triggers, which would compare each record with all others.
    await sql.transaction([
      sql`set local session_replication_role = replica`,
      sql`
        with moment as (select date_trunc('milliseconds', now()) as at),
        port as (
          insert into ports (organization_id, network_id, host_id, number, protocol,
            created_at, updated_at, last_seen_at, valid_from)
          select ${organization.id}, ${network_id}, ${id}, number, 'Tcp', at, at, at, at
          from moment, generate_series(1, 1000) as number
          returning id, number),
        service as (
          insert into services (organization_id, network_id, host_id, name, service_definition,
            created_at, updated_at, last_seen_at, valid_from)
          select ${organization.id}, ${network_id}, ${id}, 'Service ' || number, 'Any', at, at, at, at
          from moment, generate_series(1, 1000) as number
          returning id, name)
        insert into bindings (organization_id, network_id, host_id, type, service_id, port_id,
          created_at, updated_at, last_seen_at, valid_from)
        select ${organization.id}, ${network_id}, ${id}, 'Port', service.id, port.id, at, at, at, at
        from moment, port join service on service.name = 'Service ' || port.number
        where port.number % 2 = 0`,
    ]);
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 1);
    const isBound = (number: number) => number % 2 === 0;
    const expected = numbers.filter(isBound);
    const at = await passedInstant();
    const hosts = [
      await read("hosts", id),
      ...(await list("hosts")),
      ...(await list("hosts", { at })),
    ];
    expect(hosts.length).toBe(3);
    for (const host of hosts) {
      const { ports: open, services: named } = openOf(host.ports, host.services);
      expect(open).toEqual(expected);
      expect(named).toEqual(expected.map((number) => `Service ${number}`).sort());
    }
  });

  test("is available to a key limited to the network", async () => {
    const imports = await openImports();
    const { take, organization, api, network_id } = imports;
    await take([both]);
    const key = await mintKey(organization.id, { role: "Viewer" }, [network_id]);
    for (const path of [
      "ports?is_open=true",
      "services?is_open=true",
      "hosts?port=80&service=Nginx",
    ]) {
      const answer = await api.send("GET", `/api/v1/${path}`, { key });
      expect(page.parse(answer.body).data.length, path).toBeGreaterThan(0);
    }
  });

  test.each(["ports", "services"])(
    "is a filter of %s that accepts only true or false",
    async (path) => {
      const { send } = await openImports();
      for (const value of ["", "1", "True", "yes"]) {
        expect(await send("GET", `${path}?is_open=${value}`)).toMatchObject({
          status: 400,
          body: { params: { issues: [{ path: "query.is_open" }] } },
        });
      }
    },
  );
});
