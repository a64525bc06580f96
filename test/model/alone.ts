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
import { meantBy, type State } from "./state.ts";

/** An operation with its own checks. One client performs it while there are no other writers. */
export interface Alone {
  name: string;
  weight: number;
  /** @param recheck reads everything again and checks what has changed since it was last read */
  run(client: Client, recheck: () => Promise<State>): Promise<Fault[]>;
}

const outcomesOf = (result: ImportResult | null) =>
  result?.hosts.map(({ index, outcome, matched_by, host_id, issues }) => ({
    index,
    outcome,
    matched_by,
    // A dry run cannot know the id of a host that it would create.
    host_id: outcome === "created" ? null : host_id,
    issues: issues.map(({ path, code }) => ({ path, code })),
  }));

/** The differences in records, ETags and versions between two states that must be equal. */
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

/** A scanner whose network exists: it may have been deleted while the scanner was being moved to it. */
const scannerOf = ({ world, random, state }: Client): Scanner | undefined =>
  random.pick(
    world.scanners.filter(({ networkId }) =>
      state.others.networks.some(({ id }) => id === networkId),
    ),
  );

/** The paths of a host and of its children in these states. */
const pathsOfHost = (host: string, ...states: readonly State[]): ReadonlySet<string> =>
  new Set(
    states.flatMap(({ seen }) =>
      [...seen].flatMap(([path, { body }]) =>
        path === `hosts/${host}` || Reflect.get(body, "host_id") === host ? [path] : [],
      ),
    ),
  );

/** The operations that must run without other writers. */
export const aloneOperations: readonly Alone[] = [
  {
    name: "a dry run predicts the import, and a repeated import changes nothing",
    weight: 8,
    async run(client, recheck) {
      const report = importOf(client);
      const before = client.state;
      const predicted = outcomesOf(await sendImport(client, report, "?dry_run=true"));
      const untouched = unchanged("a dry run changes something", before, await recheck());
      const done = outcomesOf(await sendImport(client, report));
      const once = await recheck();
      const again = outcomesOf(await sendImport(client, report));
      const twice = await recheck();
      const expected = done?.map(({ outcome, issues, index }) => ({
        index,
        outcome: outcome === "failed" ? "failed" : "unchanged",
        ...(outcome === "failed" && { issues }),
      }));
      const actual = again?.map(({ outcome, issues, index }) => ({
        index,
        outcome,
        ...(outcome === "failed" && { issues }),
      }));
      return [
        ...untouched,
        ...differing("a dry run differs from the import", report.network, predicted, done),
        ...differing("the outcomes of a repeated import", report.network, expected, actual),
        ...unchanged("a repeated import changes something", once, twice),
      ];
    },
  },
  {
    name: "a scan of an unchanged network changes nothing",
    weight: 3,
    async run(client, recheck) {
      const { random, note } = client;
      const scanner = scannerOf(client);
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
        // A host whose address belongs to another host fails. If this scan provides a better match
        // for that other host, the next scan stores the failed host. Only then is the whole report
        // stored.
        first = await scanner.scan(reality, isFullScan);
      }
      const once = await recheck();
      const second = await scanner.scan(reality, isFullScan);
      const twice = await recheck();
      return [
        ...differing(
          "a scan does not complete",
          scanner.id,
          [true, true],
          [first.isSettled, second.isSettled],
        ),
        ...unchanged("a repeated scan changes something", once, twice),
      ];
    },
  },
  {
    name: "a rescan changes only its host",
    weight: 3,
    async run(client, recheck) {
      const { random, state, note } = client;
      const scanner = scannerOf(client);
      const host = random.pick(
        state.inventory.hosts.filter(({ network_id }) => network_id === scanner?.networkId),
      );
      if (!scanner || !host) {
        return [];
      }
      const reality = scanner.reality(random);
      note(`daemon ${scanner.id} rescans ${host.id}: ${JSON.stringify(reality)}`);
      const { isSettled, hasGaps } = await scanner.scan(reality, false, host.id);
      const after = await recheck();
      const own = pathsOfHost(host.id, state, after);
      return [
        ...differing("a rescan does not complete", scanner.id, true, isSettled || hasGaps),
        ...unchanged("a rescan changes more than its host", state, after).filter(
          ({ where }) => !own.has(where),
        ),
      ];
    },
  },
  {
    name: "a scan ends the bindings of stopped services, even if a credential has been deleted",
    weight: 2,
    async run(client, recheck) {
      const { world, random, note, send } = client;
      const scanner = scannerOf(client);
      if (!scanner) {
        return [];
      }
      const reality = scanner.reality(random);
      const isFullScan = random.happens(50);
      note(`daemon ${scanner.id} scans services that then stop, is_full_scan ${isFullScan}`);
      const { id: organization_id } = world.organization;
      const { data } = await send({
        method: "POST",
        path: "credentials",
        json: updateOf(organization_id, {
          assigned_network_ids: [scanner.networkId],
          credential_type: random.oneOf([
            settingsOfTypes.SnmpV2c,
            settingsOfTypes.DockerSocket,
            settingsOfTypes.Gnmi,
          ]),
        }),
      });
      const first = await scanner.scan(reality, isFullScan);
      await send({ method: "DELETE", path: `credentials/${Object(data).id}` });
      // No port in a walk needs a credential.
      const stopped = reality.map((host) => ({ ...host, ports: [] }));
      const second = await scanner.scan(stopped, isFullScan);
      await recheck();
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
    name: "the job updates is_stale, and changes nothing the second time",
    weight: 3,
    async run(_, recheck) {
      await sweepStaleAll();
      const once = await recheck();
      await sweepStaleAll();
      const twice = await recheck();
      return [
        ...judgeSwept(once),
        ...unchanged("a second run of the job changes something", once, twice),
      ];
    },
  },
  {
    name: "a record can be sent back as it was read",
    weight: 2,
    async run(client, recheck) {
      const { random, state, send } = client;
      const collections = [
        "subnets",
        "hosts",
        "ip-addresses",
        "ports",
        "interfaces",
        "neighbors",
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
      const after = await recheck();
      const versions = after.versions.map(({ row }) => row);
      return differing("a record is sent back as it was read", path, [200, []], [status, versions]);
    },
  },
  {
    name: "one change",
    weight: 4,
    async run(client, recheck) {
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
      await recheck();
      return [];
    },
  },
];

function differing(check: string, where: string, expected: unknown, actual: unknown): Fault[] {
  const difference = differenceOf(expected, actual);
  return difference === undefined ? [] : [{ check, where, difference }];
}
