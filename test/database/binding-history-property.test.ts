import * as fc from "fast-check";
import { expect, test } from "vitest";
import { passedInstant, versionsOf } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import {
  mintBinding,
  mintNetwork,
  mintOrganization,
  type Network,
} from "../helpers/organization.ts";

/** The possible binding targets in these tests. */
const states = ["port", "port on first", "port on second", "first", "second"] as const;
type State = (typeof states)[number];

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...states) },
  { weight: 3, arbitrary: fc.constant("touch" as const) },
  { weight: 1, arbitrary: fc.constant("delete" as const) },
);
/** The transactions of a test run, each with its steps. */
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 6 });

function columnsOf(state: State, { port_id, ip_address_ids: [first, second] }: Network) {
  const ip_address_id = state.endsWith("first") ? first : state.endsWith("second") ? second : null;
  return state.startsWith("port")
    ? { type: "Port" as const, port_id, ip_address_id }
    : { type: "IPAddress" as const, port_id: null, ip_address_id };
}

function statement(id: string, action: State | "touch" | "delete", network: Network) {
  if (action === "touch") {
    return sql`update bindings set last_seen_at = clock_timestamp() where id = ${id}`;
  }
  if (action === "delete") {
    return sql`delete from bindings where id = ${id}`;
  }
  const { type, port_id, ip_address_id } = columnsOf(action, network);
  return sql`
    update bindings set type = ${type}, port_id = ${port_id}, ip_address_id = ${ip_address_id}
    where id = ${id}`;
}

test("versions are contiguous, do not overlap, and contain the binding's target at every instant", async () => {
  const { id: organizationId } = await mintOrganization();
  const property = fc.asyncProperty(batches, async (plan) => {
    const network = await mintNetwork(organizationId);
    const id = await mintBinding(organizationId, network, {
      valid_from: "2026-01-01T00:00:00.000Z",
    });
    let bound: State | null = "port";
    const recorded: { instant: string; bound: State | null }[] = [
      { instant: await passedInstant(), bound },
    ];
    for (const batch of plan) {
      await sql.transaction(batch.map((action) => statement(id, action, network)));
      for (const action of batch) {
        bound = action === "touch" || bound === null ? bound : action === "delete" ? null : action;
      }
      recorded.push({ instant: await passedInstant(), bound });
    }

    const versions = await versionsOf(id);
    for (const [position, { valid_from, valid_to }] of versions.entries()) {
      const next = versions[position + 1];
      expect(valid_to === null || valid_from < valid_to).toBe(true);
      expect(next === undefined || next.valid_from === valid_to).toBe(true);
    }
    expect(versions.at(-1)?.valid_to === null).toBe(bound !== null);
    expect(versions.find(({ valid_to }) => valid_to === null)?.id).toBe(
      bound === null ? undefined : id,
    );
    for (const { instant, bound: then } of recorded) {
      const valid = versions.filter(
        ({ valid_from, valid_to }) =>
          valid_from <= instant && (valid_to === null || instant < valid_to),
      );
      const expected = then === null ? [] : [expect.objectContaining(columnsOf(then, network))];
      expect(valid).toEqual(expected);
    }
  });
  await fc.assert(property, { numRuns: 60, endOnFailure: true });
}, 60_000);
