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

/** The result of testing a receiver. */
export const trialSchema = z
  .object({
    message_id: z.string().max(64).meta({ description: "The `webhook-id` header." }),
    is_delivered: z.boolean(),
    http_status: z
      .int()
      .min(100)
      .max(599)
      .nullable()
      .meta({ description: "The status of the receiver's response; null if there was none." }),
    error: deliveryErrorSchema.nullable(),
    duration_ms: integer(),
  })
  .meta({
    id: "WebhookTrial",
    description: "The result of sending a signed sample to a receiver.",
  });

/**
 * Maximum number of concurrent tests per organization and per isolate. Each holds a connection for
 * up to 15 seconds.
 */
export const testLimits = { perHolder: 3, perIsolate: 6 } as const;

/** Maximum wait for a slot, in milliseconds. */
const waitMs = 5000;

/**
 * Time after which a slot expires, in milliseconds, in case the platform ends the request silently.
 */
const expiresMs = 2 * deliveryDeadlineMs;

/** Running tests by organization. */
const ofOrganizations = new Slots({ ...testLimits, expiresMs, waitMs });

/** Running tests by webhook: at most one. */
const ofWebhooks = new Slots({ ...testLimits, perHolder: 1, expiresMs, waitMs: 0 });

const tooManyTests = () =>
  new ApiError("rate_limit_exceeded", {
    limit: "tests_of_webhook",
    retry_after_seconds: deliveryDeadlineMs / 1000,
  });

/**
 * Takes the slots for a test.
 * @param organization undefined if this isolate has not seen the key yet; the test is then not
 *   limited per organization
 * @returns a function that releases the slots
 * @throws {ApiError} 429 if the webhook or the organization has too many tests in progress, 503 if
 *   the isolate has
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
 * POST /api/v1/webhooks/{id}/test: sends a signed sample immediately, even if the webhook is
 * disabled, and returns the result (API contract, section 12). The test is recorded only in the
 * audit log.
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
      // The database role for callers has no privileges on secrets.
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
