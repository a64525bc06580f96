import { expect, test, vi } from "vitest";
import * as z from "zod";
import { daemonRow, leaseDaemon } from "../../../helpers/daemons.ts";
import { mintOrganization } from "../../../helpers/organization.ts";
import { openPoller, type Poller } from "../../../helpers/poller.ts";

const acknowledged = { outcome: "ok", explicitAcks: [expect.any(String)], retryMessages: [] };
const message = z.object({ daemons: z.array(z.looseObject({ id: z.string() })) });

/** In one organization, creates daemons that refuse connections, and leases them. */
async function leaseDaemons(poller: Poller, count: number) {
  const organization = await mintOrganization();
  return Promise.all(
    Array.from({ length: count }, async () =>
      leaseDaemon(await poller.mintDaemon({}, organization)),
    ),
  );
}

test("a redelivered message is split until each daemon has its own message", async () => {
  const poller = openPoller();
  const daemons = await leaseDaemons(poller, 12);
  const ids = daemons.map(({ id }) => id);
  expect(await poller.deliver({ daemons }, 2)).toMatchObject(acknowledged);
  const few = poller.sent.slow.splice(0).map((body) => message.parse(body));
  expect(few.map((body) => body.daemons.length)).toEqual([5, 5, 2]);
  for (const body of few) {
    expect(await poller.deliver(body, 2)).toMatchObject(acknowledged);
  }
  const single = poller.sent.slow.splice(0).map((body) => message.parse(body));
  expect(single.map((body) => body.daemons.map(({ id }) => id))).toEqual(ids.map((id) => [id]));
  // No daemon has been contacted yet. The daemon in a message with only one daemon is polled,
  // however often the message has been redelivered.
  expect(await daemonRow(ids[0] ?? "")).toMatchObject({ last_error: null });
  expect(await poller.deliver(single[0], 2)).toMatchObject(acknowledged);
  expect(await daemonRow(ids[0] ?? "")).toMatchObject({ last_error: "connection_refused" });
  expect(poller.sent).toEqual({ fast: [], slow: [] });
});

test("an internal error in one poll does not lose the results of the other daemons in its message", async () => {
  const poller = openPoller();
  const daemons = await leaseDaemons(poller, 12);
  const [faulty, ...others] = daemons;
  const log = vi.spyOn(console, "log").mockImplementation((line) => {
    if (String(line).includes(String(faulty?.id))) {
      throw new TypeError("an internal error");
    }
  });
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await poller.poll(...daemons)).toMatchObject(acknowledged);
  expect(errors.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
    { event: "poll_failed", daemon_id: faulty?.id, name: "TypeError" },
  ]);
  log.mockRestore();
  for (const { id } of others) {
    expect(await daemonRow(id)).toMatchObject({
      last_error: "connection_refused",
      lease_expires_at: null,
    });
  }
  // The daemon is due again when its lease ends.
  expect(await daemonRow(faulty?.id ?? "")).toMatchObject({ last_error: null });
});
