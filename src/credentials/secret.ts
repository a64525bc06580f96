import * as z from "zod";
import { storableText, textOf } from "../http/schemas.ts";
import { isPem, type PemLabel } from "./pem.ts";

/** What stands in every answer where a secret is, and in a request where one is to be kept. */
export const mask = "********";

/**
 * A secret on its way from the request to its seal. Whatever writes it out by accident, a JSON
 * document or a log, writes the mask.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the caller sent the mask: the stored secret is to be kept. */
  get isKept(): boolean {
    return this.#text === mask;
  }

  /** The plaintext, for sealing only. */
  reveal(): string {
    return this.#text;
  }

  toJSON(): string {
    return mask;
  }

  toString(): string {
    return mask;
  }
}

/** A file on the daemon's machine that holds the value. */
const filePath = z.strictObject({ mode: z.literal("FilePath"), path: textOf(1, 4096) });

const inline = <Value extends z.ZodType>(value: Value) =>
  z.discriminatedUnion("mode", [z.strictObject({ mode: z.literal("Inline"), value }), filePath], {
    error: 'must be {"mode": "Inline", "value": "…"} or {"mode": "FilePath", "path": "…"}',
  });

/** A secret of at least so many characters. Only {@link Secret} ever leaves the validator. */
export const secretSchema = (minimum = 1) =>
  inline(textOf(minimum, Number.POSITIVE_INFINITY).transform((text) => new Secret(text)));

const pem = (labels: readonly PemLabel[]) =>
  storableText.refine((text) => text === mask || isPem(text, labels), {
    error: `must be PEM (RFC 7468) of ${labels.join(" or ")}`,
  });

/** A certificate or a chain of them, in PEM. Not a secret. */
export const certificateSchema = inline(
  pem(["CERTIFICATE"]).refine((text) => text !== mask, { error: "is not a secret: send it whole" }),
);

/** A private key in PEM, which is a secret. */
export const privateKeySchema = inline(
  pem(["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]).transform((text) => new Secret(text)),
);
