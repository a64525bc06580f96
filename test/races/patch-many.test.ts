import { expect } from "vitest";
import * as z from "zod";
import { followChanges } from "../changes/helpers.ts";
import type { Answer } from "../helpers/api.ts";
import { refusalOf, sql } from "../helpers/database.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { mintCredential } from "../helpers/organization.ts";
import { type Owners, openOwners, recordSchema } from "../helpers/own-data.ts";
import { historyFaults } from "./history-faults.ts";
import { atOnce, describeRace, type Race } from "./race.ts";
import { below } from "./writers.ts";

/** The number of requests at the same time, each of which changes one service of each host. */
const writers = 2;

/** Gives all services another name, in their order. Returns an error or null. */
type Rename = (inventory: Inventory, services: readonly string[]) => Promise<string | null>;

/** Renames different services of the same hosts at the same time, in opposite orders. */
function siblingsRace(rename: Rename): Race {
  let opened: Promise<{ inventory: Inventory; services: string[][] }> | undefined;
  const open = async () => {
    const inventory = await openInventory();
    const hosts = await atOnce(4, async (host) =>
      inventory.create("hosts", {
        name: `Host ${host}`,
        services: Array.from({ length: writers }, (_, name) => ({ name: `${name}` })),
      }),
    );
    const services = Array.from({ length: writers }, (_, writer) => {
      const own = hosts.map(({ services: all }) => all[writer]?.id ?? "");
      return writer % 2 === 0 ? own : own.toReversed();
    });
    return { inventory, services };
  };
  return {
    async round() {
      opened ??= open();
      const { inventory, services } = await opened;
      const outcomes = await Promise.all(services.map((own) => rename(inventory, own)));
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

describeRace("services of the same hosts are patched in opposite orders without a 409", {
  design: siblingsRace(async ({ send }, services) => {
    const name = crypto.randomUUID();
    const json = services.map((id) => ({ id, name }));
    const { status, text } = await send("PATCH", "services/bulk", json);
    return status === 200 ? null : `${status} ${text}`;
  }),
  naive: {
    name: "locks in the order of the writes",
    race: siblingsRace(({ organization: { id: organization } }, services) =>
      sql
        .transaction(
          services.map(
            (id) => sql`update services set name = ${crypto.randomUUID()}
              where organization_id = ${organization} and id = ${id}`,
          ),
        )
        .then(
          () => null,
          async (error: unknown) => (await refusalOf(Promise.reject(error))).code ?? "refused",
        ),
    ),
  },
  roundMs: 2500,
});

/** Writes one part of each host. Returns an error or null. */
type WriteParts = (inventory: Inventory, hosts: readonly string[]) => Promise<string | null>;

/** Writes parts of the same hosts at the same time, in opposite orders of the hosts. */
function partsRace(write: WriteParts): Race {
  let opened: Promise<{ inventory: Inventory; hosts: string[] }> | undefined;
  const open = async () => {
    const inventory = await openInventory();
    const hosts = await atOnce(6, async (name) => inventory.create("hosts", { name: `${name}` }));
    return { inventory, hosts: hosts.map(({ id }) => id) };
  };
  return {
    async round() {
      opened ??= open();
      const { inventory, hosts } = await opened;
      const outcomes = await Promise.all([
        write(inventory, hosts),
        write(inventory, hosts.toReversed()),
      ]);
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

const outcomeOf = ({ status, text }: Answer, expected: number) =>
  status === expected ? null : `${status} ${text}`;

/** New services of hosts, whose ids are in the order of the hosts. */
const servicesOf = (hosts: readonly string[]) => {
  const ids = hosts.map(() => crypto.randomUUID()).sort();
  return hosts.map((host_id, index) => ({ id: ids[index], host_id, name: crypto.randomUUID() }));
};

/** Inserts services one by one, in the order of the hosts. */
const insertInOrder: WriteParts = ({ organization: { id: organization }, network_id }, hosts) =>
  sql
    .transaction(
      servicesOf(hosts).map(
        ({ id, host_id, name }) => sql`
          insert into services (organization_id, network_id, id, host_id, name)
          values (${organization}, ${network_id}, ${id}, ${host_id}, ${name})`,
      ),
    )
    .then(
      () => null,
      async (error: unknown) => (await refusalOf(Promise.reject(error))).code ?? "refused",
    );

describeRace("services of the same hosts are created in opposite orders without a 409", {
  design: partsRace(async ({ send }, hosts) =>
    outcomeOf(await send("POST", "services/bulk", servicesOf(hosts)), 201),
  ),
  naive: { name: "inserts in the order of the request", race: partsRace(insertInOrder) },
  roundMs: 2500,
  every: 4,
});

describeRace("services of the same hosts are deleted in opposite orders without a 409", {
  design: partsRace(async ({ send }, hosts) => {
    const services = servicesOf(hosts);
    for (const service of services) {
      expect(await send("POST", "services", service)).toMatchObject({ status: 201 });
    }
    const ids = services.map(({ id }) => id);
    return outcomeOf(await send("POST", "services/bulk-delete", ids), 200);
  }),
  naive: { name: "inserts in the order of the request", race: partsRace(insertInOrder) },
  roundMs: 2500,
  every: 4,
});

describeRace("credentials are assigned to the same hosts in opposite orders without a 409", {
  design: partsRace(async ({ api, organization }, hosts) => {
    const ids = await Promise.all(hosts.map(() => mintCredential(organization.id)));
    const json = hosts.map((host_id, index) => ({
      id: ids[index],
      host_assignments: [{ host_id, ip_address_ids: null }],
    }));
    const key = organization.keys.admin;
    return outcomeOf(await api.send("PATCH", "/api/v1/credentials/bulk", { key, json }), 200);
  }),
  naive: { name: "inserts in the order of the request", race: partsRace(insertInOrder) },
  roundMs: 2500,
  every: 4,
});

let blocks = 0;

/** Creates a subnet with an address for each of these hosts. */
async function mintSubnets({ send, network_id }: Inventory, hosts: readonly string[]) {
  const subnets = hosts.map((host_id) => {
    const block = blocks++;
    const prefix = `10.${block >> 8}.${block & 255}`;
    return { id: crypto.randomUUID(), host_id, prefix };
  });
  const created = await send(
    "POST",
    "subnets/bulk",
    subnets.map(({ id, prefix }) => ({ id, network_id, name: prefix, cidr: `${prefix}.0/24` })),
  );
  expect(created).toMatchObject({ status: 201 });
  const addresses = subnets.map(({ id, host_id, prefix }) => ({
    host_id,
    subnet_id: id,
    ip_address: `${prefix}.200`,
  }));
  expect(await send("POST", "ip-addresses/bulk", addresses)).toMatchObject({ status: 201 });
  return subnets;
}

describeRace("subnets with addresses of the same hosts are deleted at once without a 409", {
  design: partsRace(async (inventory, hosts) => {
    const subnets = await mintSubnets(inventory, hosts);
    const ids = subnets.map(({ id }) => id);
    return outcomeOf(await inventory.send("POST", "subnets/bulk-delete", ids), 200);
  }),
  naive: { name: "inserts in the order of the request", race: partsRace(insertInOrder) },
  roundMs: 2500,
  every: 4,
});

describeRace(
  "subnets that addresses of the same hosts leave shrink in opposite orders without a 409",
  {
    design: partsRace(async (inventory, hosts) => {
      const { send } = inventory;
      const subnets = await mintSubnets(inventory, hosts);
      const json = subnets.map(({ id, prefix }) => ({ id, cidr: `${prefix}.0/25` }));
      return outcomeOf(await send("PATCH", "subnets/bulk", json), 200);
    }),
    naive: { name: "inserts in the order of the request", race: partsRace(insertInOrder) },
    roundMs: 2500,
    every: 4,
  },
);

/** A patch that adds a key of metadata to several records. */
type AddKey = (
  opened: Owners,
  collection: string,
  ids: readonly string[],
  key: string,
) => Promise<Answer>;

const patchMany: AddKey = async ({ send }, collection, ids, key) => {
  const json = ids.map((id) => ({ id, metadata: { [key]: "1" } }));
  for (;;) {
    const answer = await send("PATCH", `${collection}/bulk`, json);
    if (answer.status !== 409) {
      return answer;
    }
  }
};

const shuffled = (ids: readonly string[]) =>
  ids
    .map((id) => ({ id, rank: Math.random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ id }) => id);

const listSchema = z.object({ data: z.array(recordSchema) });

/** The changes of hosts that added a key to their metadata: the instants, and the ids. */
const additionsOf = (
  changes: Awaited<ReturnType<typeof followChanges>>["changes"],
  key: string,
) => {
  const hasKey = (fields: unknown) => Object.hasOwn(Object(Object(fields).metadata), key);
  const added = changes.filter(({ before, after }) => hasKey(after) && !hasKey(before));
  return {
    instants: new Set(added.map(({ at }) => at)).size,
    ids: added.map(({ entity_id }) => entity_id).sort(),
  };
};

/**
 * Four bulk patches of overlapping records in different orders, each of which adds a key of its own,
 * while others delete two of the records and patch one with If-Match.
 */
function overlapRace(collection: "hosts" | "tags", addKey: AddKey): Race {
  return {
    async round() {
      const opened = await openOwners();
      const { send, network_id, organization } = opened;
      const bodies = Array.from({ length: 5 }, (_, number) => ({
        name: `Record ${number}`,
        ...(collection === "hosts" && { network_id }),
      }));
      const created = await send("POST", `${collection}/bulk`, bodies);
      const records = listSchema.parse(created.body).data.map(({ id }) => id);
      const [deleted = "", deletedInBulk = "", patched = ""] = shuffled(records);
      const etag = (await send("GET", `${collection}/${patched}`)).headers.get("ETag") ?? "";
      const sets = Array.from({ length: 4 }, () => shuffled(records).slice(below(4)));
      const [answers, single, ...deletions] = await Promise.all([
        atOnce(sets.length, (writer) =>
          addKey(opened, collection, sets[writer] ?? [], `writer-${writer}`),
        ),
        send(
          "PATCH",
          `${collection}/${patched}`,
          { metadata: { single: "1" } },
          { "If-Match": etag },
        ),
        send("DELETE", `${collection}/${deleted}`),
        send("POST", `${collection}/bulk-delete`, [deletedInBulk]),
      ]);
      const list = await send("GET", `${collection}?limit=100`);
      const left = listSchema.parse(list.body).data.filter(({ id }) => records.includes(id));
      const { changes } = await followChanges((path) => send("GET", path), {
        entity: "Host",
        include: "records",
      });
      const gone = [deleted, deletedInBulk];
      const attempts = [
        ...answers.map((answer, writer) => ({
          key: `writer-${writer}`,
          ids: sets[writer] ?? [],
          answer,
        })),
        { key: "single", ids: [patched], answer: single },
      ];
      return [
        ...deletions.filter(({ status }) => status !== 200).map(({ text }) => text),
        ...(left.length === 3 ? [] : [`${left.length} records are left`]),
        ...answers.flatMap(({ status, text, body }) =>
          status === 200 || (status === 404 && gone.includes(Object(body).params.id)) ? [] : [text],
        ),
        ...([200, 409, 412].includes(single.status) ? [] : [single.text]),
        ...attempts.flatMap(({ key, ids, answer: { status } }) => {
          const expected = status === 200 ? ids : [];
          const faults = left
            .filter(({ id, metadata }) => (metadata[key] === "1") !== expected.includes(id))
            .map(({ id }) => `${id}: ${status} for ${key}`);
          const { instants, ids: added } = additionsOf(changes, key);
          const isWhole = instants <= 1 && added.join() === expected.toSorted().join();
          return collection === "tags" || isWhole
            ? faults
            : [...faults, `${key}: ${added.length} of ${expected.length} at ${instants} instants`];
        }),
        ...(await historyFaults(opened, organization.id)),
      ];
    },
  };
}

/** Reads each record, and then replaces it. */
const naivePatchMany: AddKey = async ({ send }, collection, ids, key) => {
  const reads = await Promise.all(ids.map((id) => send("GET", `${collection}/${id}`)));
  const missing = reads.find(({ status }) => status !== 200);
  const replaced = missing
    ? []
    : await Promise.all(
        reads.map(({ body }) => {
          const { id, name, network_id, metadata } = Object(body).data;
          const own = { name, metadata: { ...metadata, [key]: "1" } };
          return send("PUT", `${collection}/${id}`, network_id ? { ...own, network_id } : own);
        }),
      );
  const [answer = missing] = [...replaced.filter(({ status }) => status !== 200), ...replaced];
  if (answer === undefined) {
    throw new Error("There are no records.");
  }
  return answer;
};

for (const collection of ["hosts", "tags"] as const) {
  describeRace(
    `bulk patches of overlapping ${collection}, which others patch and delete, are atomic and lose no update`,
    {
      design: overlapRace(collection, patchMany),
      naive: {
        name: "a read of each record and a replacement",
        race: overlapRace(collection, naivePatchMany),
      },
      roundMs: 2500,
      every: 4,
    },
  );
}
