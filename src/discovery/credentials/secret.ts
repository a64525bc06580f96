import * as z from "zod";
import { macAddress } from "../../http/input/network.ts";
import { storableRule, storableText, textOf } from "../../http/input/text.ts";
import { isPem, type PemLabel } from "./pem.ts";

/** Replaces every secret in responses. In a request, it keeps the stored secret. */
const mask = "********";

/**
 * A secret that was received in a request and has not been sealed yet. If it is accidentally
 * written to JSON or a log, the output is the mask.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** True if the caller sent the mask in order to keep the stored secret. */
  get isKept(): boolean {
    return this.#text === mask;
  }

  /** The plaintext, for sealing only. */
  reveal(): string {
    return this.#text;
  }

  toJSON(): typeof mask {
    return mask;
  }

  toString(): string {
    return mask;
  }
}

/** A file on the daemon's machine that contains the value. */
const filePath = z
  .strictObject({ mode: z.literal("FilePath"), path: textOf(1, 4096) })
  .meta({ id: "FilePath", description: "A file with the value on the daemon's machine." });

/** @param id its name in the OpenAPI document */
const inline = <Value extends z.ZodType>(id: string, value: Value) => {
  const given = z.strictObject({ mode: z.literal("Inline"), value }).meta({ id: `Inline${id}` });
  return z
    .discriminatedUnion("mode", [given, filePath], {
      error: 'must be {"mode": "Inline", "value": "…"} or {"mode": "FilePath", "path": "…"}',
    })
    .meta({ id });
};

const secretRule =
  "Never returned: responses contain `********` instead. Sending `********` keeps the stored secret, if the type is unchanged and this field has one.";

/** @param rule an additional rule for requests, beyond the schema */
const secret = (text: z.ZodType<string, string>, rule = `${storableRule} `) =>
  text
    .transform((plaintext) => new Secret(plaintext))
    .meta({
      description: `${rule}${secretRule}`,
      input: { format: "password" },
      output: { type: "string", pattern: "^\\*{8}$", maxLength: 8, description: secretRule },
    });

/** Maximum length of a secret other than PEM, in characters (API contract, section 7). */
const maxSecretCharacters = 255;

/** A secret. Only {@link Secret} ever leaves the validator. */
export const secretSchema = inline("Secret", secret(textOf(1, maxSecretCharacters)));

/**
 * The passphrase of a private key. Not {@link secretSchema}, since openapi-generator 7.23 makes a
 * schema nullable everywhere if one field with it is.
 */
export const passphraseSchema = inline("Passphrase", secret(textOf(1, maxSecretCharacters)));

/** An SNMPv3 password, which has at least eight characters (RFC 3414, section 11.2). */
export const passwordSchema = inline("Password", secret(textOf(8, maxSecretCharacters)));

/**
 * Maximum length of PEM, in characters: enough for a chain of about twenty certificates. Sealing
 * needs several copies in memory, so this limit is lower than the limit for request bodies.
 */
const maxPemCharacters = 64 * 1024;

const pem = (labels: readonly PemLabel[]) =>
  // Text that is too long is not parsed.
  textOf(0, maxPemCharacters).pipe(
    storableText.refine((text) => text === mask || isPem(text, labels), {
      error: `must be PEM (RFC 7468) of ${labels.join(" or ")}`,
    }),
  );

const pemRule = (labels: readonly PemLabel[]) =>
  `PEM (RFC 7468): one or more consecutive blocks of ${labels.join(", ")}. ${storableRule}`;

const certificateLabels = ["CERTIFICATE"] as const;
const privateKeyLabels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"] as const;

const certificate = pem(certificateLabels)
  .refine((text) => text !== mask, { error: "is not a secret: send the complete value" })
  .meta({ maxLength: maxPemCharacters, description: pemRule(certificateLabels) });

/** A certificate or a certificate chain, in PEM. Not a secret. */
export const certificateSchema = inline("Certificate", certificate);

/** A private key in PEM, which is a secret. */
export const privateKeySchema = inline(
  "PrivateKey",
  secret(pem(privateKeyLabels), `${pemRule(privateKeyLabels)} `),
);

const sshKeyLabels = ["OPENSSH PRIVATE KEY", ...privateKeyLabels] as const;

/** A private key for SSH, which is a secret. */
export const sshKeySchema = inline(
  "SshPrivateKey",
  secret(pem(sshKeyLabels), `${pemRule(sshKeyLabels)} `),
);

const sixBytes = textOf(1, maxSecretCharacters).refine(
  (text) => text === mask || macAddress.safeParse(text).success,
  { error: "must be six bytes, such as 00:00:5e:00:53:01" },
);

/** A SecureOn password of a network adapter, which is a secret. */
export const secureOnSchema = inline(
  "SecureOnPassword",
  secret(sixBytes, "Six bytes, such as 00:00:5e:00:53:01. "),
);
