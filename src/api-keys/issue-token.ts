import { sql } from "drizzle-orm";
import * as z from "zod";
import { hashApiKey } from "../api-key.ts";
import { abortOnFirst } from "../database/guards.ts";
import { maximumSubject } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { created } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { integer } from "../http/input/integer.ts";
import { idSet } from "../http/input/set.ts";
import { requiredText } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { maximumToken, mintTokenSecret, signToken } from "../http/token.ts";
import { validate } from "../http/validation/validate.ts";
import { ofBody } from "../http/verbs/create.ts";
import { roles } from "../roles.ts";
import { aboveOwnRole, foreignReferences } from "./sql.ts";

/** How long a token is valid, in seconds. */
export const lifetime = { minimum: 60, maximum: 3600, usual: 900 } as const;

/** The request body for a token (API contract, section 8). */
export const tokenInput = z
  .strictObject({
    permissions: z.enum(roles),
    subject: requiredText(maximumSubject).meta({
      description: "The user or session that gets the token, as changes and the audit log name it.",
    }),
    network_ids: idSet
      .nullable()
      .default(null)
      .meta({ description: "The networks to which it is limited; null for those of the key." }),
    expires_in: integer(lifetime.minimum, lifetime.maximum)
      .default(lifetime.usual)
      .meta({ description: "The number of seconds for which it is valid." }),
  })
  .meta({ id: "TokenInput", description: "A token. Unknown fields are errors." });

/** A token, which is returned only once. */
export const issuedTokenSchema = z
  .object({
    token: z.string().max(maximumToken).meta({
      description: "The signed token: send it in the header Authorization, like a key.",
    }),
    expires_at: timestamp.meta({ description: "The time at which it expires, in whole seconds." }),
  })
  .meta({ id: "IssuedToken", description: "A token, which is returned only once." });

/**
 * POST /api/v1/auth/tokens: issues a token for one of the caller's users, with at most the role and
 * the networks of the caller's key.
 */
export const issueToken = factory.createHandlers(
  authenticate("Admin"),
  validate({ json: tokenInput }),
  handles({
    errors: ["auth_permission_denied", "auth_scope_denied", "entity_reference_invalid"],
    responses: { 201: [] },
  }),
  async (c) => {
    const { permissions, subject, network_ids, expires_in } = c.req.valid("json");
    const { settings, tenant } = c.var;
    const secret = mintTokenSecret();
    const hash = await hashApiKey(secret);
    const [{ rows }] = await tenant.run(
      (database) => [
        database.execute<{ issuer_id: string; ends_at: string }>(sql`
          select issuer_id, ends_at from app.issue_token(decode(${hash}, 'hex'),
            ${permissions}::role, ${subject}, ${sql.param(network_ids)}::uuid[], ${expires_in})`),
      ],
      {
        first: (database) => [
          abortOnFirst(database, [
            aboveOwnRole(permissions),
            ...foreignReferences([{ network_ids }], ofBody),
          ]),
        ],
      },
    );
    const [row] = rows;
    if (row === undefined) {
      throw new Error("The database issued no token.");
    }
    const expires_at = row.ends_at;
    const claims = { secret, keyId: row.issuer_id, subject, expiresAt: expires_at };
    return created(c, { token: await signToken(settings, claims), expires_at });
  },
);
