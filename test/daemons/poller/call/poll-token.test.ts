import { expect, test } from "vitest";
import { keyRingOf, tokenPlace } from "../../../../src/database/sealing.ts";
import {
  daemonRow,
  leaseDaemon,
  raiseDaemon,
  sealedToken,
  secondsToNextPoll,
} from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import { mintOrganization } from "../../../helpers/organization.ts";
import { daemonToken, openPoller, type Poller } from "../../../helpers/poller.ts";

/** Polls a daemon, and checks that it received no request and has the error token_unreadable. */
async function expectUnreadable(poller: Poller, id: string, organization: string) {
  const before = await daemonRow(id);
  const claimed = await leaseDaemon(id);
  await poller.poll(claimed);
  const after = await daemonRow(id);
  expect(after).toEqual({
    ...before,
    last_error: "token_unreadable",
    last_error_http_status: null,
    last_error_at: after.last_error_at,
    poll_generation: claimed.poll_generation,
    next_poll_at: after.next_poll_at,
    due_at: after.next_poll_at,
  });
  expect(after.organization_id).toBe(organization);
  expect(Date.parse(after.next_poll_at ?? "") - Date.parse(after.last_error_at ?? "")).toBe(
    300_000,
  );
}

const failures = {
  consecutive_failures: 4,
  last_error: "timed_out",
  last_error_at: "2026-01-02T03:04:05.678Z",
  version: "0.14.1",
  last_seen_at: "2026-01-02T03:00:00.000Z",
  is_slow: true,
} as const;

test.each([
  ["belongs to another daemon", async (_: Poller, other: string) => sealedToken(other)],
  ["was sealed with a key that no longer exists", async () => "gone.AAAA"],
  [
    "was sealed for another origin",
    (poller: Poller, _: string, id: string, organization: string) =>
      keyRingOf(poller.settings).seal(
        daemonToken,
        tokenPlace(organization, id, "https://other.example.com"),
      ),
  ],
])(
  "a token that %s is not sent, and the daemon has an error, although no failure is counted",
  async (_, sealedFor) => {
    const poller = openPoller();
    const organization = await mintOrganization();
    const daemon = raiseDaemon();
    const other = await poller.mintDaemon({ url: daemon.url }, organization);
    const id = crypto.randomUUID();
    const sealed = await sealedFor(poller, other, id, organization.id);
    await poller.mintDaemon({ ...failures, id, url: daemon.url }, organization, sealed);

    await expectUnreadable(poller, id, organization.id);
    expect(await daemon.requests()).toEqual([]);
  },
);

test("a token that was sealed for another organization is not sent", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const daemon = raiseDaemon();
  const id = crypto.randomUUID();
  const place = tokenPlace(crypto.randomUUID(), id, daemon.url);
  const sealed = await keyRingOf(poller.settings).seal(daemonToken, place);
  await poller.mintDaemon({ id, url: daemon.url }, organization, sealed);
  await poller.poll(await leaseDaemon(id));
  expect(await daemon.requests()).toEqual([]);
  expect(await daemonRow(id)).toMatchObject({ last_error: "token_unreadable" });
});

test("a daemon without a token has the same error, and the other daemons in its message are polled", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url }, organization);
  const neighbor = await poller.mintDaemon({ url: daemon.url }, organization);
  await sql`delete from daemon_secrets where daemon_id = ${id}`;
  const claimed = { ...(await leaseDaemon(id)), sealed_token: null };
  await poller.poll(claimed, await leaseDaemon(neighbor));
  expect(await daemonRow(id)).toMatchObject({
    last_error: "token_unreadable",
    consecutive_failures: 0,
  });
  expect(await daemonRow(neighbor)).toMatchObject({ version: "0.14.2", last_error: null });
  expect(await daemon.requests()).toMatchObject([{ authorization: `Bearer ${daemonToken}` }]);
});

test("a token is not sent if the message contains a URL other than the one for which it was sealed", async () => {
  const poller = openPoller();
  const thief = raiseDaemon();
  const id = await poller.mintDaemon({ url: "http://127.0.0.1:1/daemon" });
  await poller.poll({ ...(await leaseDaemon(id)), url: thief.url });
  expect(await thief.requests()).toEqual([]);
  expect(await daemonRow(id)).toMatchObject({ last_error: "token_unreadable" });
});

test("once its token can be decrypted again, a daemon is polled as before", async () => {
  const poller = openPoller();
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url }, undefined, "gone.AAAA");
  await poller.poll(await leaseDaemon(id));
  const { organization_id } = await daemonRow(id);
  const sealed = await keyRingOf(poller.settings).seal(
    daemonToken,
    tokenPlace(organization_id, id, daemon.url),
  );
  await sql`update daemon_secrets set sealed = ${sealed} where daemon_id = ${id}`;
  await poller.poll(await leaseDaemon(id));
  expect(await daemonRow(id)).toMatchObject({ version: "0.14.2", last_error: null });
  expect(await secondsToNextPoll(id)).toBe(5);
});
