import { expect, test } from "vitest";
import { recordConsole } from "../../../helpers/console.ts";
import { leaseDaemon, raiseDaemon, sealedToken } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import { mintOrganization } from "../../../helpers/organization.ts";
import { daemonToken, openFreshDatabase, openPoller } from "../../../helpers/poller.ts";

const duration = expect.toSatisfy((ms) => typeof ms === "number" && ms >= 0, "a duration");

const linesOf = (logs: () => string) =>
  logs()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

test("with LOG_POLLS=all, a poll and its batch each log one line with exactly these fields", async () => {
  const poller = openPoller({ LOG_POLLS: "all" });
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url });
  const claimed = await leaseDaemon(id);
  const logs = recordConsole();
  await poller.poll(claimed);
  expect(linesOf(logs)).toEqual([
    { event: "poll", daemon_id: id, error: null, http_status: 200, duration_ms: duration },
    {
      event: "poll_batch",
      claimed: 1,
      ok: 1,
      failed: 0,
      token_unreadable: 0,
      not_polled: 0,
      newly_unreachable: 0,
      discarded: 0,
      duration_ms: duration,
    },
  ]);
});

test("the line for a failed poll contains the error, and the batch's line contains the counts", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const [broken, healthy] = [raiseDaemon(), raiseDaemon()];
  await broken.behave({ kind: "answer", status: 503 });
  const fourFailures = {
    consecutive_failures: 4,
    last_error: "timed_out",
    last_error_at: "2026-01-02T03:04:05.678Z",
  } as const;
  const ids = [
    await poller.mintDaemon({ ...fourFailures, url: broken.url }, organization),
    await poller.mintDaemon({}, organization),
    await poller.mintDaemon({ url: healthy.url }, organization),
    await poller.mintDaemon({}, organization, "demo.unused"),
  ];
  const claimed = await Promise.all(ids.map(leaseDaemon));
  // The second daemon was reset in the meantime.
  await sql`update daemons set poll_generation = poll_generation + 1 where id = ${ids[1]}`;
  const logs = recordConsole();
  await poller.poll(...claimed);
  const polled = { event: "poll", duration_ms: duration };
  const lines = linesOf(logs);
  expect(lines).toHaveLength(4);
  expect(lines).toEqual(
    expect.arrayContaining([
      { ...polled, daemon_id: ids[0], error: "http_status", http_status: 503 },
      { ...polled, daemon_id: ids[1], error: "connection_refused", http_status: null },
      { event: "daemon_token_unreadable", daemon_id: ids[3] },
      {
        event: "poll_batch",
        claimed: 4,
        ok: 1,
        failed: 2,
        token_unreadable: 1,
        not_polled: 0,
        newly_unreachable: 1,
        discarded: 1,
        duration_ms: duration,
      },
    ]),
  );
});

test("log lines never contain a token, a URL or text from a daemon", async () => {
  const poller = openPoller({ LOG_POLLS: "all" });
  const organization = await mintOrganization();
  const logs = recordConsole();
  const text = "text-of-the-daemon";
  for (const body of [
    JSON.stringify({ success: true, data: { version: text, name: text, more: text } }),
    JSON.stringify({ success: false, error: text }),
    text,
  ]) {
    const daemon = raiseDaemon();
    await daemon.behave({ kind: "answer", body });
    const id = await poller.mintDaemon({ url: daemon.url }, organization);
    await poller.poll(await leaseDaemon(id));
    for (const secret of [
      daemonToken,
      await sealedToken(id),
      daemon.url,
      text,
      "http:",
      "127.0.0.1",
    ]) {
      expect(logs()).not.toContain(secret);
    }
  }
  expect(logs().split("\n")).toHaveLength(6);
});

test("a cycle logs one line, even if it fails", async () => {
  const variables = await openFreshDatabase();
  const poller = openPoller(variables);
  const organization = await mintOrganization();
  for (let daemons = 0; daemons < 3; daemons += 1) {
    await poller.mintDaemon({}, organization);
  }
  const logs = recordConsole();
  await poller.cycle();
  // The schedules, cancellations, webhooks, counts and sweeps fail as well.
  await poller.disturb({ faults: Array.from({ length: 15 }, () => ({ kind: "refuse" as const })) });
  expect(await poller.cycle()).toEqual([]);
  const line = { event: "poll_cycle", duration_ms: duration };
  const cycles = linesOf(logs).filter((entry) => Object(entry).event === "poll_cycle");
  expect(cycles).toEqual([
    { ...line, claimed: 3, slow: 0, batches: 1, completed: true },
    { ...line, claimed: 0, slow: 0, batches: 0, completed: false },
  ]);
}, 60_000);
