import { sql } from "drizzle-orm";
import * as z from "zod";
import { runAsPoller } from "../../database/poller.ts";
import { webhookSecrets } from "../../database/tables/index.ts";
import { ApiError } from "../../errors/errors.ts";
import { authenticate } from "../../http/authenticate.ts";
import { mayFail } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { recordPath } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { Slots } from "../../http/limits/slots.ts";
import { validate } from "../../http/validation/validate.ts";
import { deliveryErrorSchema, webhookResource } from "../webhooks/model.ts";
import { testMessage } from "./message.ts";
import { deliveryDeadlineMs, send } from "./send.ts";

/** What came of a message that tries a receiver. */
export const trialSchema = z
  .object({
    message_id: z.string().max(64).meta({ description: "The header `webhook-id`." }),
    is_delivered: z.boolean(),
    http_status: z
      .int()
      .min(100)
      .max(599)
      .nullable()
      .meta({ description: "Of the receiver's response; null where there was none." }),
    error: deliveryErrorSchema.nullable(),
    duration_ms: integer(),
  })
  .meta({ id: "WebhookTrial", description: "What a receiver did with a signed sample." });

/** How many tests an organization, and an isolate, has under way: each holds a connection for up to 15 seconds. */
export const testLimits = { perHolder: 3, perIsolate: 6 } as const;

/** How long a test waits for those of others to end, in milliseconds. */
const waitMs = 5000;

/** When the platform has ended a test without a word, in milliseconds. */
const expiresMs = 2 * deliveryDeadlineMs;

/** Tests that are under way, by organization. */
const ofOrganizations = new Slots({ ...testLimits, expiresMs, waitMs });

/** And by webhook, of which only one is. */
const ofWebhooks = new Slots({ ...testLimits, perHolder: 1, expiresMs, waitMs: 0 });

const tooManyTests = () =>
  new ApiError("rate_limit_exceeded", {
    limit: "tests_of_webhook",
    retry_after_seconds: deliveryDeadlineMs / 1000,
  });

/**
 * Counts a test that is about to begin.
 * @param organization undefined where this isolate does not know the key yet: it counts for nobody
 * @returns ends the test
 * @throws {ApiError} 429 where the webhook or the organization has too many, 503 where the isolate has
 */
async function takeSlot(organization: string | undefined, webhook: string): Promise<() => void> {
  if (organization !== undefined && ofOrganizations.heldBy(organization) >= testLimits.perHolder) {
    throw tooManyTests();
  }
  const release = await ofOrganizations.take(organization ?? "");
  if (!release) {
    throw new ApiError("service_unavailable", {
      retry_after_seconds: waitMs / 1000,
      outcome: "unchanged",
      advice: "repeat",
    });
  }
  const endTest =
    organization === undefined ? () => true : await ofWebhooks.take(`${organization} ${webhook}`);
  if (!endTest) {
    release();
    throw tooManyTests();
  }
  return () => {
    endTest();
    release();
  };
}

/**
 * POST /api/v1/webhooks/{id}/test: sends a signed sample at once, also where the webhook is disabled, and tells what
 * came of it (API contract, section 12). The audit log has that it was sent, and nothing else is stored.
 */
export const tryReceiver = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const { settings, tenant } = c.var;
    const end = await takeSlot(tenant.knownCaller?.organization_id, id);
    try {
      const [{ rows }] = await tenant.run((database) => [
        database.execute<{ organization_id: string; url: string }>(
          sql`select * from app.begin_test(${id})`,
        ),
      ]);
      const { organization_id, url } = found(rows, webhookResource.entity, id);
      // Callers' role has no right to secrets.
      const [secrets] = await runAsPoller(settings, (database) => [
        database.execute<{ sealed: string }>(sql`
          select sealed from ${webhookSecrets}
          where organization_id = ${organization_id} and webhook_id = ${id}
            and (not is_former or expires_at > now())
          order by is_former`),
      ]);
      const message = testMessage();
      const sealed_secrets = secrets.rows.map(({ sealed }) => sealed);
      const { error, http_status, duration_ms } = await send(
        settings,
        { organization_id, webhook_id: id, url, sealed_secrets },
        message,
      );
      return ok(c, {
        message_id: message.id,
        is_delivered: error === null,
        http_status,
        error: error && { code: error, http_status },
        duration_ms,
      });
    } finally {
      end();
    }
  },
);
