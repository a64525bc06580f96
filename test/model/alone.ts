import type { ImportResult } from "../../src/imports/model.ts";
import { settingsOfTypes, updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { sweepStaleAll } from "../helpers/stale.ts";
import { judgeSwept } from "./checks/stale.ts";
import type { Client } from "./client.ts";
import { differenceOf, type Fault } from "./fault.ts";
import { importOf, sendImport } from "./operations/discovery.ts";
import { editedRecord } from "./operations/records.ts";
import type { Scanner } from "./scanner.ts";
import { meantBy, type State } from "./shown.ts";

/** Something that one client does while nobody else writes, with what must come of it. */
export interface Alone {
  name: string;
  weight: number;
  /** @param look reads all again, and judges what has changed since */
  run(client: Client, look: () => Promise<State>): Promise<Fault[]>;
}

const outcomesOf = (result: ImportResult | null) =>
  result?.hosts.map(({ index, outcome, matched_by, host_id, issues }) => ({
    index,
    outcome,
    matched_by,
    // A dry run cannot know the id of what it would create.
    host_id: outcome === "created" ? null : host_id,
    issues: issues.map(({ path, code }) => ({ path, code })),
  }));

/** Nothing changed: no ETag, no version. */
function unchanged(check: string, before: State, after: State): Fault[] {
  const paths = [...new Set([...before.seen.keys(), ...after.seen.keys()])];
  const changes = paths.flatMap((path) => {
    const [one, other] = [before.seen.get(path), after.seen.get(path)];
    if (one?.etag === other?.etag && one?.meaning === other?.meaning) {
      return [];
    }
    const difference = differenceOf(
      { etag: one?.etag, body: one && meantBy(one) },
      { etag: other?.etag, body: other && meantBy(other) },
    );
    return [{ check, where: path, difference }];
  });
  const versions = after.versions.map(({ collection, live_id, valid_from, valid_to }) => ({
    check: `${check}: a version begins or ends`,
    where: `${collection}/${live_id}`,
    difference: { valid_from, valid_to },
  }));
  return [...changes, ...versions];
}

/** What happens when nobody else writes. */
export const aloneOperations: readonly Alone[] = [
  {
    name: "a dry run says what an import does, and twice is once",
    weight: 8,
    async run(client, look) {
      const report = importOf(client);
      const before = client.state;
      const said = outcomesOf(await sendImport(client, report, "?dry_run=true"));
      const untouched = unchanged("a dry run changes something", before, await look());
      const done = outcomesOf(await sendImport(client, report));
      const once = await look();
      const again = outcomesOf(await sendImport(client, report));
      const twice = await look();
      const expected = done?.map(({ outcome, issues, index }) => ({
        index,
        outcome: outcome === "failed" ? "failed" : "unchanged",
        ...(outcome === "failed" && { issues }),
      }));
      const found = again?.map(({ outcome, issues, index }) => ({
        index,
        outcome,
        ...(outcome === "failed" && { issues }),
      }));
      return [
        ...untouched,
        ...differing("a dry run says something else", report.network, said, done),
        ...differing("the outcomes of an import again", report.network, expected, found),
        ...unchanged("an import again changes something", once, twice),
      ];
    },
  },
  {
    name: "a scan of an unchanged network changes nothing",
    weight: 3,
    async run({ world, random, state, note }, look) {
      // Its network may have gone while it was moved there.
      const isThere = ({ networkId }: Scanner) =>
        state.others.networks.some(({ id }) => id === networkId);
      const scanner = random.pick(world.scanners.filter(isThere));
      if (!scanner) {
        return [];
      }
      const reality = scanner.reality(random);
      const isFullScan = random.happens(50);
      note(
        `daemon ${scanner.id} scans twice, is_full_scan ${isFullScan}: ${JSON.stringify(reality)}`,
      );
      let first = await scanner.scan(reality, isFullScan);
      if (first.hasGaps) {
        // A host whose address another one has is refused. Where that other one is known better once this scan
        // is stored, the next scan stores it: only then all is said.
        first = await scanner.scan(reality, isFullScan);
      }
      const once = await look();
      const second = await scanner.scan(reality, isFullScan);
      const twice = await look();
      return [
        ...differing(
          "a scan does not come to its end",
          scanner.id,
          [true, true],
          [first.isSettled, second.isSettled],
        ),
        ...unchanged("a scan again changes something", once, twice),
      ];
    },
  },
  {
    name: "a scan ends what has stopped, though a credential was deleted meanwhile",
    weight: 2,
    async run({ world, random, state, note, send }, look) {
      const scanner = random.pick(
        world.scanners.filter((one) =>
          state.others.networks.some(({ id }) => id === one.networkId),
        ),
      );
      if (!scanner) {
        return [];
      }
      const reality = scanner.reality(random);
      const isFullScan = random.happens(50);
      note(`daemon ${scanner.id} scans what then stops, is_full_scan ${isFullScan}`);
      const { id: organization_id } = world.organization;
      const { data } = await send({
        method: "POST",
        path: "credentials",
        json: updateOf(organization_id, {
          assigned_network_ids: [scanner.networkId],
          credential_type: random.oneOf([settingsOfTypes.SnmpV2c, settingsOfTypes.DockerSocket]),
        }),
      });
      const first = await scanner.scan(reality, isFullScan);
      await send({ method: "DELETE", path: `credentials/${Object(data).id}` });
      // None of the ports of the walk needs a credential.
      const stopped = reality.map((host) => ({ ...host, ports: [] }));
      const second = await scanner.scan(stopped, isFullScan);
      await look();
      if (first.hasGaps || second.hasGaps) {
        return [];
      }
      const left = await sql`
        select binding.id from bindings as binding
        where binding.organization_id = ${organization_id} and binding.valid_to is null
          and binding.type = 'Port' and binding.first_discovery_id is not null
          and binding.last_discovery_id = ${first.id} and exists (
            select from hosts as host where host.organization_id = binding.organization_id
              and host.current_id = binding.host_id and host.last_discovery_id = ${second.id})`;
      return differing("a stopped service stays bound", scanner.id, [], left);
    },
  },
  {
    name: "the job sets and clears what is stale, and nothing the second time",
    weight: 3,
    async run(_, look) {
      await sweepStaleAll();
      const once = await look();
      await sweepStaleAll();
      const twice = await look();
      return [...judgeSwept(once), ...unchanged("the job again changes something", once, twice)];
    },
  },
  {
    name: "what was read can be sent back",
    weight: 2,
    async run(client, look) {
      const { random, state, send } = client;
      const collections = [
        "subnets",
        "hosts",
        "ip-addresses",
        "ports",
        "interfaces",
        "services",
        "bindings",
      ] as const;
      const path = random.pick(
        [...state.seen.keys()].filter((one) =>
          collections.some((name) => one.startsWith(`${name}/`)),
        ),
      );
      const json = state.seen.get(path ?? "")?.body;
      if (path === undefined || json === undefined) {
        return [];
      }
      const { status } = await send({
        method: "PUT",
        path,
        json,
        ifMatch: state.seen.get(path)?.etag,
      });
      const after = await look();
      const versions = after.versions.map(({ row }) => row);
      return differing("what was read is sent back", path, [200, []], [status, versions]);
    },
  },
  {
    name: "one change",
    weight: 4,
    async run(client, look) {
      const { random, send } = client;
      const collection = random.oneOf(["subnets", "hosts", "ip-addresses", "services"] as const);
      const json = editedRecord(collection, client);
      if (json) {
        const path = `${collection}/${json.id}`;
        const refusals = [
          "entity_already_exists",
          "entity_in_use",
          "binding_conflict",
          "validation_failed",
        ] as const;
        await send({ method: "PUT", path, json, refusals });
      }
      await look();
      return [];
    },
  },
];

function differing(check: string, where: string, expected: unknown, found: unknown): Fault[] {
  const difference = differenceOf(expected, found);
  return difference === undefined ? [] : [{ check, where, difference }];
}
