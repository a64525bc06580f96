import { abortOnAny } from "../database/guards.ts";
import { keyRingOf } from "../database/sealing.ts";
import { update } from "../http/verbs/update.ts";
import { beyondReach, foreignReferences, overfullNetworks, secretsNotKept } from "./guards.ts";
import { credentialInput } from "./input.ts";
import { credentialResource } from "./model.ts";
import { sealSecrets } from "./seal-secrets.ts";
import { credentialLocks, references, replaceCredential } from "./sql.ts";

/** PUT /api/v1/credentials/{id}: replaces a credential as a whole (API contract, section 3). */
export const updateCredential = update(credentialResource, {
  role: "Admin",
  scope: "networks",
  body: credentialInput,
  errors: ["auth_scope_denied", "entity_reference_invalid"],
  violations: references,
  update: async (c, id, credential) => {
    const ring = keyRingOf(c.var.settings);
    const secrets = await sealSecrets(ring, { ...credential, id }, credential.credential_type);
    return {
      locks: credentialLocks([id], [credential]),
      guards: [
        beyondReach([id]),
        secretsNotKept(id, credential.credential_type.type, secrets.kept),
        ...foreignReferences([credential], () => "body."),
      ],
      write: (database) => [
        ...replaceCredential(database, id, credential, secrets),
        ...abortOnAny(
          database,
          overfullNetworks([credential], () => "body."),
        ),
      ],
    };
  },
});
