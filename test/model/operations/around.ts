import { updateOf } from "../../helpers/credentials.ts";
import { foldOnce } from "../../helpers/fold.ts";
import { passHours, sweepStaleAll } from "../../helpers/stale.ts";
import type { Client } from "../client.ts";
import * as material from "../material.ts";
import type { Operation } from "./operation.ts";
import { ifMatchOf } from "./sample.ts";

/** The maximum number of records of each kind in a walk. */
const most = { tags: 4, credentials: 3, networks: 3 };
const taggable = { Host: "hosts", Service: "services", Subnet: "subnets" } as const;

const taggedOf = ({ random, state }: Client) => {
  const entity_type = random.oneOf(["Host", "Service", "Subnet"] as const);
  const records: readonly { id: string }[] = state.inventory[taggable[entity_type]];
  return { entity_type, ids: random.some(records, 4).map(({ id }) => id) };
};

/** Assignments of a credential to hosts: to all addresses, or only to the first. */
const assignmentsOf = ({ random, state }: Client) =>
  random.some(state.inventory.hosts, 2).map(({ id, ip_addresses }) => ({
    host_id: id,
    ip_address_ids:
      ip_addresses.length > 0 && random.happens(50)
        ? ip_addresses.slice(0, 1).map((address) => address.id)
        : null,
  }));

/** Changes to the tags, credentials and networks that the inventory refers to. */
export const aroundOperations: readonly Operation[] = [
  {
    name: "assign tags",
    weight: 4,
    async run(client) {
      const { entity_type, ids } = taggedOf(client);
      const [entity_id] = ids;
      if (entity_id !== undefined) {
        const tag_ids = client.random.some(client.state.others.tags, 3).map(({ id }) => id);
        await client.send({
          method: "PUT",
          path: "tags/assign",
          json: { entity_type, entity_id, tag_ids },
        });
      }
      return entity_id !== undefined;
    },
  },
  ...(["bulk-add", "bulk-remove"] as const).map(
    (verb): Operation => ({
      name: `${verb} a tag`,
      weight: 3,
      async run(client) {
        const { entity_type, ids: entity_ids } = taggedOf(client);
        const tag_id = client.random.pick(client.state.others.tags)?.id;
        if (entity_ids.length === 0 || tag_id === undefined) {
          return false;
        }
        await client.send({
          method: "POST",
          path: `tags/assign/${verb}`,
          json: { entity_type, entity_ids, tag_id },
        });
        return true;
      },
    }),
  ),
  {
    name: "create a tag",
    weight: 2,
    async run({ state, random, send }) {
      if (state.others.tags.length >= most.tags) {
        return false;
      }
      await send({ method: "POST", path: "tags", json: { name: random.id() } });
      return true;
    },
  },
  {
    name: "delete a tag",
    weight: 1,
    async run({ state, random, send }) {
      const tag = random.pick(state.others.tags);
      if (tag) {
        await send({ method: "DELETE", path: `tags/${tag.id}` });
      }
      return tag !== undefined;
    },
  },
  {
    name: "create a credential",
    weight: 2,
    async run(client) {
      const { state, send, world } = client;
      if (state.others.credentials.length >= most.credentials) {
        return false;
      }
      const host_assignments = assignmentsOf(client);
      await send({
        method: "POST",
        path: "credentials",
        json: updateOf(world.organization.id, { host_assignments }),
      });
      return true;
    },
  },
  {
    name: "replace a credential",
    weight: 3,
    async run(client) {
      const { state, random, send } = client;
      const credential = random.pick(state.others.credentials);
      if (credential) {
        const path = `credentials/${credential.id}`;
        const changes = random.happens(70) ? { host_assignments: assignmentsOf(client) } : {};
        await send({
          method: "PUT",
          path,
          json: { ...credential, ...changes },
          ifMatch: ifMatchOf(state, path, random),
        });
      }
      return credential !== undefined;
    },
  },
  {
    name: "assign a credential to a host",
    weight: 2,
    async run({ state, random, send }) {
      const host = random.pick(state.inventory.hosts);
      const credential = random.pick(state.others.credentials);
      if (!host || !credential) {
        return false;
      }
      const { ip_addresses: _, ports: __, services: ___, interfaces: ____, ...own } = host;
      const credential_assignments = [{ credential_id: credential.id }];
      await send({
        method: "PUT",
        path: `hosts/${host.id}`,
        json: { ...own, credential_assignments },
      });
      return true;
    },
  },
  {
    name: "delete a credential",
    weight: 1,
    async run({ state, random, send }) {
      const credential = random.pick(state.others.credentials);
      if (credential) {
        await send({ method: "DELETE", path: `credentials/${credential.id}` });
      }
      return credential !== undefined;
    },
  },
  {
    name: "consolidate two hosts",
    weight: 5,
    async run({ state, random, send }) {
      const host = random.pick(state.inventory.hosts);
      const other = random.pick(
        state.inventory.hosts.filter(
          ({ id, network_id }) => network_id === host?.network_id && id !== host.id,
        ),
      );
      if (!host || !other) {
        return false;
      }
      await send({
        method: "PUT",
        path: `hosts/${host.id}/consolidate/${other.id}`,
        ifMatch: ifMatchOf(state, `hosts/${host.id}`, random),
        refusals: ["binding_conflict"],
      });
      return true;
    },
  },
  {
    name: "change a network's stale_after_hours",
    weight: 2,
    async run({ state, random, send }) {
      const network = random.pick(state.others.networks);
      if (network) {
        const stale_after_hours = random.oneOf([null, 1, 2, 3]);
        await send({
          method: "PUT",
          path: `networks/${network.id}`,
          json: { ...network, stale_after_hours },
        });
      }
      return network !== undefined;
    },
  },
  {
    name: "let an hour pass without sightings of some hosts",
    weight: 2,
    async run({ state, random }) {
      const hosts = random.some(state.inventory.hosts, 5);
      await Promise.all(hosts.map(({ id }) => passHours(1, id)));
      return hosts.length > 0;
    },
  },
  {
    name: "run the job that marks stale hosts",
    weight: 2,
    async run() {
      await sweepStaleAll();
      return true;
    },
  },
  {
    name: "run the job that folds counts",
    weight: 2,
    async run({ random }) {
      await foldOnce(1 + random.below(20));
      return true;
    },
  },
  {
    name: "create a network",
    weight: 1,
    async run({ state, random, send }) {
      if (state.others.networks.length >= most.networks) {
        return false;
      }
      await send({
        method: "POST",
        path: "networks",
        json: { name: random.oneOf(material.subnetNames) },
      });
      return true;
    },
  },
  {
    name: "delete a network",
    weight: 1,
    async run({ state, random, send, world }) {
      const [first, ...others] = random.some(state.others.networks, state.others.networks.length);
      const [next] = others;
      if (!first || !next) {
        return false;
      }
      const { status } = await send({
        method: "DELETE",
        path: `networks/${first.id}?cascade=true`,
      });
      if (status === 200) {
        await world.moveScanners(first.id, next.id);
      }
      return true;
    },
  },
];
