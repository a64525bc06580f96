import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as z from "zod";
import { KeyRing, webhookSecretPlace } from "../../src/database/sealing.ts";
import * as schema from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import demo from "../demo.json" with { type: "json" };
import { demoStart } from "./dates.ts";
import { demoSealingKeys } from "./sealing-keys.ts";

const organization_id = demo.organization.id;
const { id, name, secret, failed_delivery } = demo.webhook;

/** The message fields that the receiver reads. */
const messageSchema = z.object({
  type: z.string(),
  data: z.object({
    changes: z.array(
      z.object({ at: z.string(), change: z.string(), entity: z.string(), label: z.string() }),
    ),
  }),
});

/** Formats a line for each change in a message, or one line for a message without changes. */
export function linesOf(body: unknown): string[] {
  const { data } = messageSchema.safeParse(body);
  if (!data) {
    return [`${name}: a message with an unknown format`];
  }
  const lines = data.data.changes.map(
    ({ at, change, entity, label }) => `${name}: ${at} ${entity} "${label}" ${change}`,
  );
  return lines.length > 0 ? lines : [`${name}: ${data.type}`];
}

/** Starts the receiver of the demo webhook, which prints its messages. */
export async function startDemoReceiver(print: (line: string) => void) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    for (const line of linesOf(jsonOf(body))) {
      print(line);
    }
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/changes`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Adds the demo webhook with a failed delivery, as in the OpenAPI document's examples. If the
 * webhook already exists, updates its URL to the receiver's current URL.
 */
export async function provisionDemoWebhook(database: NodePgDatabase, url: string): Promise<void> {
  const { rowCount } = await database
    .insert(schema.webhooks)
    .values({
      ...{ organization_id, id, name, url, created_at: demoStart, updated_at: demoStart },
      secret_hint: secret.slice(-4),
      ...{ position_at: new Date().toISOString(), position_entity: "~", position_id: id },
    })
    .onConflictDoNothing();
  if (rowCount === 0) {
    await database
      .update(schema.webhooks)
      .set({ url })
      .where(
        sql`${schema.webhooks.organization_id} = ${organization_id} and ${schema.webhooks.id} = ${id}`,
      );
    return;
  }
  const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
  await database.insert(schema.webhookSecrets).values({
    ...{ organization_id, webhook_id: id, is_former: false },
    sealed: await ring.seal(secret, webhookSecretPlace(organization_id, id)),
  });
  const position = { entity: "~", id };
  await database.insert(schema.webhookDeliveries).values({
    ...{ organization_id, webhook_id: id, id: failed_delivery },
    message_id: "msg_2f0d5c1b7a9e48f6b3c4d5e6f7a8b9c0",
    ...{ after_at: demoStart, after_entity: position.entity, after_id: position.id },
    ...{ until_at: demoStart, until_entity: position.entity, until_id: position.id },
    ...{ state: "failed", attempt_count: 8, duration_ms: 15_000, error: "timed_out" },
    // With a fixed date, the delivery would be deleted after 30 days.
    last_attempt_at: new Date().toISOString(),
  });
}
