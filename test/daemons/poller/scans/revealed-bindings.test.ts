import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { mintCredential } from "../../../helpers/organization.ts";
import { answered, raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";
import { assignCredential, scan } from "../../../helpers/scans.ts";

const ip = "10.77.0.3";

const snmp = { type: "SnmpV2c", community: { mode: "FilePath", path: "/run/community" } };
const otherSnmp = { ...snmp, community: { mode: "FilePath", path: "/run/other" } };
const proxy = (port: number) => ({ type: "DockerProxy", port });
const socket = { type: "DockerSocket" };

type Settings = { type: string; [field: string]: unknown };

interface Listener {
  number: number;
  protocol?: "Tcp" | "Udp";
  service?: string;
  /** True if the listener is a container. */
  isContainer?: boolean;
}

/** The host as a daemon reports it, with one service per listener. */
function seen(networkId: string, listeners: readonly Listener[]) {
  const host = wireHost(
    networkId,
    ip,
    listeners.map(({ number }) => number),
  );
  return {
    ...host,
    ports: host.ports.map((port, index) => ({
      ...port,
      protocol: listeners[index]?.protocol ?? "Tcp",
    })),
    services: listeners.map(({ number, service = `Service ${number}`, isContainer }, index) => ({
      id: crypto.randomUUID(),
      name: service,
      service_definition: service,
      virtualization: isContainer
        ? { type: "Docker", details: { container_name: service, container_id: null } }
        : null,
      bindings: [
        {
          id: crypto.randomUUID(),
          type: "Port",
          port_id: host.ports[index]?.id,
          ip_address_id: host.ip_addresses[0]?.id,
        },
      ],
    })),
  };
}

const see = (scanner: Scanner, listeners: readonly Listener[], is_full_scan = false) =>
  scan(scanner, { hosts: [seen(scanner.networkId, listeners)] }, { is_full_scan });

/** Returns the bound ports, in the form `80/Tcp`. */
const boundPorts = async ({ organization }: Scanner) =>
  (
    await sql`select port.number || '/' || port.protocol as name
      from bindings as binding join ports as port on port.id = binding.port_id
      where binding.organization_id = ${organization.id} and binding.valid_to is null
        and binding.first_discovery_id is not null and port.valid_to is null order by port.number`
  ).map(({ name }) => name);

/** Creates a credential for the whole network; later scans include it. */
async function give({ organization, networkId }: Scanner, settings: Settings): Promise<string> {
  const id = await mintCredential(organization.id, { settings });
  await assignCredential(organization.id, id, { network_id: networkId });
  return id;
}

const remove = (id: string) => sql`delete from credentials where id = ${id}`;

const changeTo = (settings: Settings) => (id: string) =>
  sql`update credentials set settings = ${JSON.stringify(settings)}::jsonb where id = ${id}`;

const web = { number: 5432 };
const agent = { number: 161, protocol: "Udp", service: "SNMP" } as const;

test.each([
  ["an SNMP credential is deleted", snmp, remove],
  ["a community is changed", snmp, changeTo(otherSnmp)],
  ["an SNMP credential becomes a Docker credential", snmp, changeTo(socket)],
  ["a Docker proxy credential is deleted", proxy(2375), remove],
  ["a Docker socket credential is deleted", socket, remove],
] as const)(
  "a scan ends a service that has stopped, even if %s in the meantime",
  async (_, before, become) => {
    for (const isFull of [false, true]) {
      const scanner = await raiseScanner();
      const id = await give(scanner, before);
      await see(scanner, [{ number: 22 }, web], isFull);
      await become(id);
      await see(scanner, [{ number: 22 }], isFull);
      expect(await boundPorts(scanner)).toEqual(["22/Tcp"]);
    }
  },
);

test.each([
  ["UDP port of an agent", agent, false, true],
  ["UDP port of an agent", agent, true, true],
  ["second UDP port of an agent", { number: 1161, protocol: "Udp" }, true, true],
  ["port of subagents", { number: 199 }, false, true],
  // A full scan probes all TCP ports.
  ["port of subagents", { number: 199 }, true, false],
  ["UDP port of another service", { number: 53, protocol: "Udp" }, false, false],
  ["container", { number: 8088, isContainer: true }, false, false],
  ["port of a Docker proxy", { number: 2375 }, false, false],
] as const)(
  "a scan without the SNMP credential that found a %s (%j) does not end it (full: %s): %s",
  async (_, listener, isFull, stays) => {
    const scanner = await raiseScanner();
    const id = await give(scanner, snmp);
    await see(scanner, [listener], isFull);
    await remove(id);
    await see(scanner, [], isFull);
    expect(await boundPorts(scanner)).toHaveLength(stays ? 1 : 0);
    // A scan without the credential ends the binding of a listener that was found without it.
    await see(scanner, [listener], isFull);
    await see(scanner, [], isFull);
    expect(await boundPorts(scanner)).toEqual([]);
  },
);

const container = { number: 8088, service: "web", isContainer: true };

test.each([
  ["container", proxy(2375), container, false, true],
  ["container", proxy(2375), container, true, true],
  ["container", socket, container, true, true],
  ["port of the proxy", proxy(2376), { number: 2376 }, false, true],
  ["port of the proxy", proxy(2376), { number: 2376 }, true, false],
  [
    "UDP port with the number of the proxy's port",
    proxy(2376),
    { number: 2376, protocol: "Udp" },
    false,
    false,
  ],
  ["port that the proxy does not use", proxy(2376), { number: 2375 }, false, false],
  ["port of a proxy", socket, { number: 2375 }, false, false],
  ["UDP port of an agent", proxy(2375), agent, false, false],
] as const)(
  "a scan without the Docker credential that found a %s (%j, %j) does not end it (full: %s): %s",
  async (_, settings, listener, isFull, stays) => {
    const scanner = await raiseScanner();
    const id = await give(scanner, settings);
    await see(scanner, [listener], isFull);
    await remove(id);
    await see(scanner, [], isFull);
    expect(await boundPorts(scanner)).toHaveLength(stays ? 1 : 0);
  },
);

const gnmi = { type: "Gnmi", port: 9339 };
const ssh = { type: "SshKey", port: 2222 };

test.each([
  ["port of the gNMI credential", gnmi, { number: 9339 }, false, true],
  ["port of the gNMI credential", gnmi, { number: 9339 }, true, false],
  ["port of the SSH credential", ssh, { number: 2222 }, false, true],
  ["another port", ssh, web, false, false],
  ["container", ssh, container, false, false],
  ["UDP port of an agent", gnmi, agent, false, false],
  ["service of any kind", { type: "WakeOnLan", port: 9 }, web, true, true],
  ["service of any kind", { type: "UnifiApiKey", port: 443 }, web, true, true],
  ["service of any kind", { type: "PodmanSocket" }, web, true, true],
] as const)(
  "a scan without the credential that found a %s (%j, %j) does not end it (full: %s): %s",
  async (_, settings, listener, isFull, stays) => {
    const scanner = await raiseScanner();
    await scanner.behave({ status: answered({ version: "0.17.19", ready_for_work: true }) });
    const id = await give(scanner, settings);
    await see(scanner, [listener], isFull);
    await remove(id);
    await see(scanner, [], isFull);
    expect(await boundPorts(scanner)).toHaveLength(stays ? 1 : 0);
  },
);

test("a container is still treated as a container after a user has edited its service or moved its binding", async () => {
  for (const edit of [
    (id: string) => sql`update services set virtualization = null where organization_id = ${id}`,
    (id: string) => sql`
      with moved as (insert into services (organization_id, network_id, host_id, name, service_definition)
        select organization_id, network_id, host_id, 'Mine', 'Mine' from services
        where organization_id = ${id} and valid_to is null and virtualization is not null
        returning id)
      select from moved`,
  ]) {
    const scanner = await raiseScanner();
    const { id: organizationId } = scanner.organization;
    const credential = await give(scanner, proxy(2375));
    await see(scanner, [container]);
    await edit(organizationId);
    await sql`update bindings set service_id = coalesce((select id from services
        where organization_id = ${organizationId} and valid_to is null and name = 'Mine'), service_id)
      where organization_id = ${organizationId} and valid_to is null and first_discovery_id is not null`;
    await remove(credential);
    await see(scanner, []);
    expect(await boundPorts(scanner)).toEqual(["8088/Tcp"]);
  }
});

test("another service on a port replaces a service found before a credential was deleted", async () => {
  const scanner = await raiseScanner();
  const id = await give(scanner, snmp);
  await see(scanner, [{ number: 8080, service: "Grafana" }]);
  await remove(id);
  await see(scanner, [{ number: 8080, service: "Jenkins" }]);
  const holders = await sql`select service.name from bindings as binding
    join services as service on service.id = binding.service_id
    where binding.organization_id = ${scanner.organization.id} and binding.valid_to is null
      and binding.first_discovery_id is not null and service.valid_to is null`;
  expect(holders).toEqual([{ name: "Jenkins" }]);
});

test("scans without the credential that revealed a service bound to a whole address do not end its binding", async () => {
  const scanner = await raiseScanner();
  const id = await give(scanner, snmp);
  const host = seen(scanner.networkId, []);
  const service = {
    id: crypto.randomUUID(),
    name: "Gateway",
    service_definition: "Gateway",
    bindings: [
      { id: crypto.randomUUID(), type: "IPAddress", ip_address_id: host.ip_addresses[0]?.id },
    ],
  };
  await scan(scanner, { hosts: [{ ...host, services: [service] }] });
  await remove(id);
  await see(scanner, []);
  const bindings = () => sql`select type from bindings
    where organization_id = ${scanner.organization.id} and valid_to is null
      and first_discovery_id is not null`;
  expect(await bindings()).toEqual([{ type: "IPAddress" }]);
});

test("records found with a scope that lacks credential types (from an older version) are kept by scans without the credential", async () => {
  const scanner = await raiseScanner();
  const id = await give(scanner, snmp);
  await see(scanner, [web]);
  await sql`update app.scan_scopes set credentials = (
      select jsonb_object_agg(key, value - 'type') from jsonb_each(credentials))
    where daemon_id = ${scanner.id}`;
  await remove(id);
  await see(scanner, []);
  expect(await boundPorts(scanner)).toEqual(["5432/Tcp"]);
});
