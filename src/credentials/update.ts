import { abortOnFirst } from "../database/guards.ts";
import { keyRingOf } from "../database/sealing.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { recordPath } from "../http/input/id.ts";
import { requireSameId } from "../http/input/same-id.ts";
import { validate } from "../http/validate.ts";
import { beyondReach, foreignReferences, notFound, secretsNotKept } from "./guards.ts";
import { credentialUpdateSchema } from "./input.ts";
import { toCredential } from "./model.ts";
import { sealSecrets } from "./seal-secrets.ts";
import { lockCredential, readCredential, references, replaceCredential } from "./sql.ts";

/** PUT /api/v1/credentials/{id}: replaces a credential as a whole (API contract, section 3). */
export const updateCredential = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath, json: credentialUpdateSchema }),
  mayFail("auth_scope_denied", "entity_not_found", "entity_reference_invalid"),
  async (c) => {
    const { id } = c.req.valid("param");
    const update = c.req.valid("json");
    requireSameId(update.id, id);
    const secrets = await sealSecrets(keyRingOf(c.var.settings), id, update.credential_type);
    const [{ rows }] = await c.var.tenant.run((database) => [readCredential(database, id)], {
      violations: references,
      first: (database) => [
        lockCredential(database, id),
        abortOnFirst(database, [
          notFound(id),
          beyondReach(id),
          secretsNotKept(id, update.credential_type.type, secrets.kept),
          ...foreignReferences(update),
        ]),
        ...replaceCredential(database, id, update, secrets),
      ],
    });
    return ok(c, toCredential(found(rows, "Credential", id)));
  },
);
