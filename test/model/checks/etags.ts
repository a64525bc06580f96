import type { Client } from "../client.ts";
import { differenceOf, type Fault } from "../fault.ts";
import type { Random } from "../random.ts";
import { meantBy, type Seen, type State } from "../state.ts";
import type { World } from "../world.ts";

/** The number of unchanged records that are also read by id after each step. */
const sampled = 3;

/**
 * A record changes if, and only if, its ETag and its `updated_at` change. A read by id returns the
 * same record as the list, and conditional requests use the ETag (API contract, section 7).
 */
export function judgeTags(before: State, after: State): Fault[] {
  return [...after.seen].flatMap(([path, now]) => {
    const then = before.seen.get(path);
    return then ? judgeRecord(path, then, now) : [];
  });
}

function judgeRecord(path: string, then: Seen, now: Seen): Fault[] {
  const hasChanged = then.meaning !== now.meaning;
  const isRenewed = then.etag !== now.etag;
  const difference = {
    etag: [then.etag, now.etag],
    updated_at: [then.body.updated_at, now.body.updated_at],
    body: hasChanged ? differenceOf(meantBy(then), meantBy(now)) : undefined,
  };
  const faults: Fault[] = [];
  if (hasChanged !== isRenewed) {
    const check = hasChanged ? "changed without a new etag" : "new etag without a change";
    faults.push({ check, where: path, difference });
  }
  if (now.body.updated_at < then.body.updated_at) {
    faults.push({ check: "updated_at goes backwards", where: path, difference });
  } else if (now.body.updated_at > then.body.updated_at !== isRenewed) {
    faults.push({ check: "updated_at and etag do not change together", where: path, difference });
  }
  return faults;
}

/** Reads some records by id, sending their earlier ETags as `If-None-Match`. */
export async function judgeReads(
  world: World,
  before: State,
  after: State,
  random: Random,
): Promise<Fault[]> {
  const changed = [...after.seen.keys()].filter(
    (path) => before.seen.get(path)?.etag !== after.seen.get(path)?.etag,
  );
  const paths = [...random.some(changed, sampled), ...random.some([...after.seen.keys()], sampled)];
  const faults = await Promise.all(paths.map((path) => judgeRead(world, path, before, after)));
  return faults.flat();
}

async function judgeRead(
  world: World,
  path: string,
  before: State,
  after: State,
): Promise<Fault[]> {
  const [then, now] = [before.seen.get(path), after.seen.get(path)];
  const answer = await world.get(path, then ? { "If-None-Match": then.etag } : {});
  const isSame = then !== undefined && then.meaning === now?.meaning;
  const body = answer.status === 200 ? JSON.parse(answer.text).data : now?.body;
  const expected = { status: isSame ? 304 : 200, etag: now?.etag, body: now?.body };
  const actual = { status: answer.status, etag: answer.etag, body };
  const difference = differenceOf(expected, actual);
  return difference === undefined ? [] : [{ check: "read by id", where: path, difference }];
}

/** Checks that a PUT with an outdated ETag is rejected and changes nothing. */
export async function judgeStaleWriter(
  client: Client,
  before: State,
  after: State,
): Promise<Fault[]> {
  const stale = [...after.seen].filter(
    ([path, { etag }]) => before.seen.has(path) && before.seen.get(path)?.etag !== etag,
  );
  const [path, now] = client.random.pick(stale) ?? [];
  if (path === undefined || now === undefined) {
    return [];
  }
  const { status, code } = await client.send({
    method: "PUT",
    path,
    json: now.body,
    ifMatch: before.seen.get(path)?.etag,
    refusals: ["precondition_failed"],
  });
  const { etag } = await client.world.get(path);
  const difference = differenceOf(
    { status: 412, code: "precondition_failed", etag: now.etag },
    { status, code, etag },
  );
  return difference === undefined ? [] : [{ check: "stale If-Match", where: path, difference }];
}
