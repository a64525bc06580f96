import { abortOnAny } from "../database/guards.ts";
import { keyRingOf } from "../database/sealing.ts";
import { type CreateOptions, createMany, createOne } from "../http/verbs/create.ts";
import { foreignReferences, overfullNetworks, unassigned } from "./guards.ts";
import { newCredentialInput } from "./input.ts";
import { credentialResource } from "./model.ts";
import { sealSecrets } from "./seal-secrets.ts";
import { credentialLocks, insertCredentials, references } from "./sql.ts";

const options: CreateOptions<
  typeof newCredentialInput,
  "auth_scope_denied" | "entity_reference_invalid"
> = {
  role: "Admin",
  scope: "networks",
  body: newCredentialInput,
  errors: ["auth_scope_denied", "entity_reference_invalid"],
  violations: references,
  create: async (c, sent, pathOf) => {
    const ring = keyRingOf(c.var.settings);
    const credentials = await Promise.all(
      sent.map(async (credential) => {
        const { sealed } = await sealSecrets(ring, credential, credential.credential_type);
        return { ...credential, secrets: sealed };
      }),
    );
    return {
      locks: credentialLocks([], sent),
      guards: [...foreignReferences(sent, pathOf), unassigned(sent)],
      write: (database) => [
        ...insertCredentials(database, credentials),
        ...abortOnAny(database, overfullNetworks(sent, pathOf)),
      ],
    };
  },
};

/** POST /api/v1/credentials: creates a credential, with all of its secrets. */
export const createCredential = createOne(credentialResource, options);

/** POST /api/v1/credentials/bulk: creates 1 to 100 credentials, all or nothing. */
export const createCredentials = createMany(credentialResource, options);
