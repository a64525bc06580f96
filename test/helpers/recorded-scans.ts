import { expect } from "vitest";
import * as z from "zod";
import { answered, type Scanner } from "./protocol.ts";
import { sessionRow } from "./sessions.ts";

/** The ids of the network, the daemon, its scan and its host in recordings of stock daemons. */
const names = {
  network: "11111111-1111-4111-8111-111111111111",
  daemon: "22222222-2222-4222-8222-222222222222",
  session: "33333333-3333-4333-8333-333333333333",
  host: "55555555-5555-4555-8555-555555555555",
};

const created = z.object({ data: z.object({ id: z.string() }) });

/**
 * Replays a daemon's recorded scan from start to finish.
 * @param polls the responses to its polls
 * @param request the body of the request for the scan
 * @returns the id of the scan
 */
export async function replay(
  scanner: Scanner,
  polls: readonly unknown[],
  request: { is_full_scan?: boolean } = {},
): Promise<string> {
  const { poller, organization, id, networkId } = scanner;
  const answer = await poller.send("POST", `/api/v1/daemons/${id}/scan`, {
    key: organization.keys.owner,
    json: request,
  });
  const session = created.parse(answer.body).data.id;
  await scanner.report({});
  await scanner.visit();
  for (const poll of polls) {
    const text = JSON.stringify(poll)
      .replaceAll(names.network, networkId)
      .replaceAll(names.daemon, id)
      .replaceAll(names.session, session)
      .replaceAll(names.host, id);
    await scanner.behave({ poll: answered(JSON.parse(text)) });
    await scanner.visit();
  }
  await scanner.report({});
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Complete", error: null });
  return session;
}
