import { passThrough } from "./list-cost.ts";
import { keyOf } from "./load.ts";
import { compare } from "./measure.ts";
import { type BenchRequest, send } from "./requests.ts";
import { atMost, digits, type Row } from "./row.ts";
import { list, type Scene, third } from "./scene.ts";
import { recordCalls } from "./statements.ts";
import { startWorkerd } from "./workerd.ts";

const key = keyOf(third.organization);

const credential = {
  name: "Core switches",
  organization_id: third.id,
  tags: third.tags,
  assigned_network_ids: third.networks,
  host_assignments: [],
  credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "a secret" } },
};
const create: BenchRequest = {
  method: "POST",
  path: "/api/v1/credentials",
  key,
  json: credential,
};
const createMany: BenchRequest = {
  method: "POST",
  path: "/api/v1/credentials/bulk",
  key,
  // A network has at most 1,000 credentials.
  json: Array(100).fill({ ...credential, assigned_network_ids: [] }),
};
const replay: BenchRequest = { ...create, headers: { "Idempotency-Key": "bench" } };

/**
 * The median time of writes, one after the other, against a handler in workerd that asks the same
 * database server for `select 1`.
 */
export async function writeRows(scene: Scene, origin: string): Promise<Row[]> {
  const {
    calls: [call],
  } = await recordCalls(scene.server, list("bindings"));
  if (!call) {
    throw new Error("no call was recorded");
  }
  const selectOne = await startWorkerd({
    modules: {
      "entry.js": passThrough(scene.server.endpoint, call.headers, {
        query: "select 1",
        params: [],
      }),
    },
  });
  const milliseconds =
    (to: string, next: () => BenchRequest, status = 200) =>
    async () =>
      (await send(to, next(), { status })).totalMs;
  const reference = milliseconds(selectOne.origin, () => ({ method: "GET", path: "/" }));
  const created = () => milliseconds(origin, () => create, 201);
  const first = await send(origin, create, { status: 201 });
  await send(origin, replay, { status: 201 });
  let { etag } = first.headers;
  const replace = async () => {
    const answer = await send(origin, {
      ...create,
      method: "PUT",
      path: first.headers["location"] ?? "",
      headers: { "If-Match": etag ?? "" },
    });
    etag = answer.headers["etag"];
    return answer.totalMs;
  };
  const row = async (
    what: string,
    [ours, against]: [() => Promise<number>, () => Promise<number>],
    most?: number,
  ): Promise<Row> => {
    const found = await compare(scene.isQuick ? 15 : 30, ours, against);
    return {
      what,
      ours: `${digits(found.ours.median)} ms`,
      reference: `${digits(found.reference.median)} ms`,
      value: found.ratio.median,
      unit: "×",
      spread: found.ratio.spread,
      ...(most === undefined ? {} : { bound: atMost(most) }),
    };
  };
  const bulk = milliseconds(origin, () => createMany, 201);
  try {
    return [
      await row("p50 of a create, against select 1", [created(), reference]),
      await row("p50 of a bulk create of 100, against select 1", [bulk, reference]),
      await row("p50 of a replace with If-Match, against select 1", [replace, reference]),
      await row("p50 of a replayed create, against select 1", [
        milliseconds(origin, () => replay, 201),
        reference,
      ]),
      await row("p50 of a bulk create of 100, against one create", [bulk, created()], 6),
    ];
  } finally {
    await selectOne.stop();
  }
}
