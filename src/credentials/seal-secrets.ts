import type { KeyRing } from "../database/sealing.ts";
import { Secret } from "../discovery/credentials/secret.ts";
import type { CredentialType } from "../discovery/credentials/types.ts";

/** The secrets of a credential: the fields whose secrets are kept, and the new secrets, sealed. */
export interface SealedSecrets {
  kept: string[];
  sealed: { field: string; sealed: string }[];
}

/** Returns the secrets in a credential type, by field. */
const secretsOf = (credentialType: CredentialType) =>
  Object.entries(credentialType).flatMap(([field, value]) => {
    const secret = secretIn(value);
    return secret ? [{ field, secret }] : [];
  });

/** The fields for which the caller sent the mask. */
export const keptFields = (credentialType: CredentialType): string[] =>
  secretsOf(credentialType)
    .filter(({ secret }) => secret.isKept)
    .map(({ field }) => field);

/** Seals the secrets of a credential, each for its own field. */
export async function sealSecrets(
  ring: KeyRing,
  record: { organization_id: string; id: string },
  credentialType: CredentialType,
): Promise<SealedSecrets> {
  const secrets = secretsOf(credentialType);
  const kept = keptFields(credentialType);
  const sealed = await Promise.all(
    secrets
      .filter(({ secret }) => !secret.isKept)
      .map(async ({ field, secret }) => ({
        field,
        sealed: await ring.seal(secret.reveal(), { ...record, record: "credential", field }),
      })),
  );
  return { kept, sealed };
}

function secretIn(field: unknown): Secret | null {
  return typeof field === "object" &&
    field !== null &&
    "value" in field &&
    field.value instanceof Secret
    ? field.value
    : null;
}
