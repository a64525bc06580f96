import * as z from "zod";
import { keyRingOf, tokenPlace } from "../database/sealing.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { created } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { validate } from "../http/validation/validate.ts";
import { createHeader, ofBody } from "../http/verbs/create.ts";
import { createOnce, markReplay } from "../http/verbs/create-once.ts";
import { itemOf, type TenantContext } from "../http/verbs/resource.ts";
import { uuidV7 } from "../uuid.ts";
import { mintDaemonKey } from "./daemon-key.ts";
import { type ProvisionInput, provisionInput } from "./input.ts";
import { daemonResource, daemonSchema } from "./model.ts";
import { daemonGuards, insertDaemon, violations } from "./sql.ts";

/** A new daemon with its key. No later response contains the key. */
export const provisionedSchema = z
  .object({
    daemon: daemonSchema,
    daemon_api_key: z.string().max(64).nullable().meta({
      description:
        "The key with which the daemon must be started, returned only once; null if the request did not create the daemon.",
    }),
  })
  .meta({
    id: "ProvisionedDaemon",
    description: "A daemon with its key, which is returned only once.",
  });

/**
 * POST /api/v1/daemons/provision: creates a daemon, which the poller contacts in its next cycle.
 */
export const provisionDaemon = factory.createHandlers(
  authenticate("Member"),
  validate({ header: createHeader, json: provisionInput }),
  handles({
    errors: [
      "entity_reference_invalid",
      "entity_already_exists",
      "entity_not_found",
      "idempotency_key_reused",
    ],
    responses: { 201: ["ETag", "Location", "Idempotent-Replayed"] },
  }),
  (c) => provision(c, c.req.valid("json"), c.req.valid("header")["idempotency-key"]),
);

/**
 * Creates a daemon with its key, and responds with 201.
 * @throws {ApiError} the errors that {@link provisionDaemon} declares
 */
export async function provision(
  c: TenantContext,
  sent: ProvisionInput,
  idempotencyKey: string | undefined,
) {
  const daemon = { ...sent, id: sent.id ?? uuidV7() };
  const token = mintDaemonKey();
  const sealed = await keyRingOf(c.var.settings).seal(
    token,
    tokenPlace(await c.var.tenant.organizationId(), daemon.id, daemon.url),
  );
  const result = await createOnce(c, daemonResource, {
    ids: [daemon.id],
    idempotencyKey,
    violations,
    pathOf: ofBody,
    change: {
      guards: daemonGuards(daemon, ofBody(0)),
      write: (database) => insertDaemon(database, daemon, sealed),
    },
  });
  const id = result.ids[0] ?? daemon.id;
  const row = found(result.rows, daemonResource.entity, id);
  markReplay(c, result);
  c.header("ETag", row.etag);
  c.header("Location", `${daemonResource.path}/${id}`);
  return created(c, {
    daemon: itemOf(daemonResource, row),
    daemon_api_key: result.isReplayed ? null : token,
  });
}
