import type * as z from "zod";
import { definitions } from "./catalogue.ts";

export { type Issue, issueSchema, maxIssues } from "./definition.ts";

export type ErrorCode = keyof typeof definitions;
export type ErrorParams<Code extends ErrorCode> = z.output<(typeof definitions)[Code]["params"]>;

/** An entry of the catalogue, typed by its code. */
interface CatalogueEntry<Code extends ErrorCode> {
  status: (typeof definitions)[Code]["status"];
  meaning: string;
  params: z.ZodType<ErrorParams<Code>>;
  message(params: ErrorParams<Code>): string;
}

/**
 * Every error that a caller can get (API contract, section 6). The responses, the documentation and
 * the tests are derived from it.
 */
export const errorCatalogue: { readonly [Code in ErrorCode]: CatalogueEntry<Code> } = definitions;

/** True for a code in the catalogue. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);

/** An error for the caller: a code from the catalogue with its parameters. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "ApiError";
  readonly code: Code;
  readonly params: ErrorParams<Code>;

  constructor(code: Code, params: ErrorParams<Code>, options?: ErrorOptions) {
    super(errorCatalogue[code].message(params), options);
    this.code = code;
    this.params = params;
  }

  get status() {
    return errorCatalogue[this.code].status;
  }
}

/**
 * Builds an ApiError from untyped parameters; null if they do not match the schema for the error
 * code.
 */
export function parseApiError<Code extends ErrorCode>(
  code: Code,
  params: unknown,
  options?: ErrorOptions,
): ApiError<Code> | null {
  const checked = errorCatalogue[code].params.safeParse(params);
  return checked.success ? new ApiError(code, checked.data, options) : null;
}
