import { beforeAll, expect, test } from "vitest";
import { keyRingOf, tokenPlace } from "../../../src/database/sealing.ts";
import { recordConsole } from "../../helpers/console.ts";
import { sealedToken } from "../../helpers/daemons.ts";
import { sql } from "../../helpers/database.ts";
import { daemonToken, openFreshDatabase } from "../../helpers/poller.ts";
import { answered, raiseScanner, type Scanner } from "../../helpers/protocol.ts";
import { inPhase, mintSession } from "../../helpers/sessions.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

const remove = (scanner: Scanner, path: string) =>
  scanner.poller.send("DELETE", `/api/v1/${path}`, { key: scanner.organization.keys.owner });

const mint = ({ organization, networkId, id }: Scanner, phase: Parameters<typeof inPhase>[0]) =>
  mintSession(organization.id, networkId, id, inPhase(phase));

/** Runs a cycle and delivers its messages. */
async function cycle({ poller }: Scanner): Promise<unknown[]> {
  const sent = await poller.cycle();
  for (const body of sent) {
    await poller.deliver(body);
  }
  return sent;
}

const remembered = () => sql`select session_id, sealed_token from app.scan_cancellations`;

/** Skips the wait until the next attempt. */
const wait = () => sql`update app.scan_cancellations set next_try_at = now()`;

test.each(["daemons", "networks"])(
  "deleting %s cancels the deleted daemon's running scan once",
  async (path) => {
    const scanner = await raiseScanner(variables);
    const running = await mint(scanner, "Scanning");
    await mint(scanner, "Queued");
    await mint(scanner, "Complete");
    const sealed = await sealedToken(scanner.id);
    const deleted =
      path === "daemons" ? `daemons/${scanner.id}` : `networks/${scanner.networkId}?cascade=true`;
    expect(await remove(scanner, deleted)).toMatchObject({ status: 200 });
    expect(await remembered()).toEqual([{ session_id: running, sealed_token: sealed }]);
    const log = recordConsole();
    const sent = await cycle(scanner);
    expect(await scanner.got("discovery/cancel")).toEqual([running]);
    expect((await scanner.daemon.calls()).map(({ authorization }) => authorization)).toEqual([
      `Bearer ${daemonToken}`,
    ]);
    expect(await remembered()).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain(daemonToken);
    expect(log()).not.toContain(daemonToken);
    expect(log()).toContain(
      `{"event":"scan_cancellation","daemon_id":"${scanner.id}","session_id":"${running}","error":null}`,
    );
    await cycle(scanner);
    expect(await scanner.got("discovery/cancel")).toHaveLength(1);
  },
);

test("a deleted daemon without a running scan is not sent a request", async () => {
  const scanner = await raiseScanner(variables);
  for (const phase of ["Queued", "Complete", "Failed", "Cancelled"] as const) {
    await mint(scanner, phase);
  }
  await remove(scanner, `daemons/${scanner.id}`);
  await cycle(scanner);
  expect(await scanner.daemon.calls()).toEqual([]);
});

test("a cancellation is retried for five minutes if the daemon does not respond", async () => {
  const scanner = await raiseScanner(variables);
  const running = await mint(scanner, "Starting");
  await remove(scanner, `daemons/${scanner.id}`);
  await scanner.behave({ "discovery/cancel": { kind: "answer", status: 503 } });
  await cycle(scanner);
  // The next attempt is in half a minute.
  await cycle(scanner);
  expect(await scanner.got("discovery/cancel")).toEqual([running]);
  await wait();
  await cycle(scanner);
  expect(await scanner.got("discovery/cancel")).toEqual([running, running]);
  await wait();
  await sql`update app.scan_cancellations set requested_at = now() - interval '5 minutes'`;
  await cycle(scanner);
  expect(await scanner.got("discovery/cancel")).toHaveLength(2);
  expect(await remembered()).toEqual([]);
});

test.each([409, 401, 404])(
  "a cancellation is not retried after %i, since the daemon is not running the scan or does not accept our token",
  async (status) => {
    const scanner = await raiseScanner(variables);
    await mint(scanner, "Scanning");
    await remove(scanner, `daemons/${scanner.id}`);
    await scanner.behave({ "discovery/cancel": { ...answered({}), kind: "answer", status } });
    await cycle(scanner);
    expect(await scanner.got("discovery/cancel")).toHaveLength(1);
    expect(await remembered()).toEqual([]);
  },
);

test("if private addresses are not allowed, a daemon at an http URL is not sent a cancellation", async () => {
  const scanner = await raiseScanner({ ...variables, PRIVATE_DAEMON_ADDRESSES: "forbidden" });
  await mint(scanner, "Scanning");
  const url = "http://daemon.example.com/";
  await sql`update daemons set url = ${url} where id = ${scanner.id}`;
  const sealed = await keyRingOf(scanner.poller.settings).seal(
    daemonToken,
    tokenPlace(scanner.organization.id, scanner.id, url),
  );
  await sql`update daemon_secrets set sealed = ${sealed} where daemon_id = ${scanner.id}`;
  await remove(scanner, `daemons/${scanner.id}`);
  const log = recordConsole();
  await cycle(scanner);
  expect(log()).toContain('"error":"url_not_encrypted"');
  expect(await remembered()).toEqual([]);
});

test("a token that cannot be decrypted is deleted, and the error is logged", async () => {
  const scanner = await raiseScanner(variables);
  await mint(scanner, "Scanning");
  await sql`update daemon_secrets set sealed = 'gone.AAAA' where daemon_id = ${scanner.id}`;
  await remove(scanner, `daemons/${scanner.id}`);
  const log = recordConsole();
  await cycle(scanner);
  expect(log()).toContain(`{"event":"daemon_token_unreadable","daemon_id":"${scanner.id}"}`);
  expect(await scanner.daemon.calls()).toEqual([]);
  expect(await remembered()).toEqual([]);
});

test("at most a hundred cancellations per organization are pending, and none for a deleted organization", async () => {
  const scanner = await raiseScanner(variables);
  const { organization, networkId } = scanner;
  await sql`
    insert into daemons (organization_id, network_id, name, url)
    select ${organization.id}, ${networkId}, number, 'https://daemon.example.com'
    from generate_series(1, 101) as number`;
  await sql`
    insert into daemon_secrets (organization_id, daemon_id, field, sealed)
    select organization_id, id, 'token', 'demo.unused' from daemons
    where organization_id = ${organization.id} on conflict do nothing`;
  await sql`
    insert into discovery_sessions (organization_id, network_id, daemon_id, phase, started_at, moved_at)
    select organization_id, network_id, id, 'Scanning', now(), now() from daemons
    where organization_id = ${organization.id}`;
  expect(await remove(scanner, `networks/${networkId}?cascade=true`)).toMatchObject({
    status: 200,
  });
  expect(await remembered()).toHaveLength(100);
  await sql`delete from organizations where id = ${organization.id}`;
  expect(await remembered()).toEqual([]);
  const another = await raiseScanner(variables);
  await mint(another, "Scanning");
  await sql`delete from organizations where id = ${another.organization.id}`;
  expect(await remembered()).toEqual([]);
});
