import { keyRingOf } from "../database/sealing.ts";
import { authenticate } from "../http/bearer.ts";
import { success } from "../http/envelope.ts";
import { validationFailed } from "../http/errors.ts";
import { factory } from "../http/factory.ts";
import { recordPath } from "../http/schemas.ts";
import { validate } from "../http/validate.ts";
import {
  lockCredential,
  replaceCredential,
  requireKeptSecrets,
  requireOwnReferences,
} from "./change.ts";
import { credentialsByIds } from "./page.ts";
import { sealSecrets } from "./seal-secrets.ts";
import { credentialUpdateSchema } from "./wire.ts";

/** PUT /api/v1/credentials/{id}: replaces a credential as a whole (API contract, section 3). */
export const updateCredential = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath, json: credentialUpdateSchema }),
  async (c) => {
    const { id } = c.req.valid("param");
    const update = c.req.valid("json");
    if (update.id !== undefined && update.id !== id) {
      const message = "must be the id in the path, or be left out";
      throw validationFailed([{ path: "body.id", message, code: "custom" }]);
    }
    const secrets = await sealSecrets(keyRingOf(c.var.settings), id, update.credential_type);
    const [[credential]] = await c.var.tenant.ask(() => [credentialsByIds([id])], {
      after: (database) => [
        ...lockCredential(database, id),
        requireKeptSecrets(database, id, update.credential_type.type, secrets.kept),
        ...requireOwnReferences(database, update),
        ...replaceCredential(database, id, update, secrets),
      ],
    });
    return success(c, credential);
  },
);
