import { expect, test } from "vitest";
import { settingsOf } from "../../../../src/env.ts";
import { openApi } from "../../../helpers/api.ts";
import { daemonRow, leaseDaemon } from "../../../helpers/daemons.ts";
import { openPoller } from "../../../helpers/poller.ts";

test("a message sent to the configured queue reaches the Worker", async () => {
  const id = await openPoller().mintDaemon();
  const { POLL_QUEUE } = settingsOf(openApi().env);
  await POLL_QUEUE.sendBatch([{ body: { daemons: [await leaseDaemon(id)] } }]);
  // The test configuration does not allow daemons on this machine.
  await expect
    .poll(() => daemonRow(id), { timeout: 10_000 })
    .toMatchObject({ last_error: "url_forbidden", lease_expires_at: null });
});
