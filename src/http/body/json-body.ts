import type { Context } from "hono";
import type * as z from "zod";
import type { TenantSession } from "../../database/session.ts";
import { ApiError } from "../../errors/errors.ts";
import { judgeKey } from "../authenticate.ts";
import type { AppEnv } from "../factory.ts";
import { wasGoodRecently } from "../limits/rate-limit.ts";
import { sha256 } from "../sha256.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";
import { readBytes } from "./body-bytes.ts";
import { type Excess, findExcess, maxDepth } from "./json-budget.ts";
import type { BodyBounds, LargeBodyRoom } from "./large-bodies.ts";

/** A request format other than JSON. */
export interface BodyForm<Schema extends z.ZodType = z.ZodType> {
  /** In lower case. */
  mediaTypes: readonly string[];
  /**
   * Parses the body. The buffer is reused; do not keep it.
   * @param charset the parameter of the media type; null if absent
   * @throws {ApiError} 400
   */
  read(bytes: Uint8Array, charset: string | null): unknown;
  /**
   * Detects, from its first bytes, a body that was sent as JSON but is in another format. Returns
   * the end of a sentence to send to the caller.
   */
  mistaken(bytes: Uint8Array): string | undefined;
  /** Validates the parsed value and converts it to the equivalent JSON body. */
  schema: Schema;
}

/** The body formats that an operation accepts. */
interface BodyForms {
  jsonTypes: readonly string[];
  otherForm: BodyForm | undefined;
  /** True if all fields of the body are optional. */
  mayBeAbsent: boolean;
}

/** A parsed body in a format other than JSON. */
export interface ReadForm {
  form: BodyForm;
  value: unknown;
}

/** A request, with or without authentication. */
type BodyContext = Context<AppEnv> & { var: { tenant?: TenantSession; keyHash?: string } };

/** The value of an absent body. */
const emptyObject = Uint8Array.from(new TextEncoder().encode("{}"));

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

const messageOf = (excess: Excess, { members }: BodyBounds): string =>
  excess === "members"
    ? `must have at most ${members} array members and object fields in total`
    : `must nest arrays and objects at most ${maxDepth} levels deep`;

/**
 * Reads a body: JSON in UTF-8 (RFC 8259, section 8.1), or the operation's other format. The
 * validator parses the JSON later. Decoding is strict, since replacement characters would change
 * the data.
 *
 * A body of more than 64 KiB is read only after the gate has accepted the key, either in this
 * request or recently. With a key that was not accepted recently, such a request needs a second
 * database call. Separate limits apply to the numbers of large bodies that are arriving, being
 * parsed, and in progress. A request holds its parsing slot until its statement has been sent, or
 * until the response if the body is larger than 1 MiB. It holds its in-progress slot until the
 * response, since a single field can keep the whole text in memory.
 *
 * If all fields of a body are optional, the body may be absent, with any media type. Its value is
 * then `{}`.
 *
 * @param room the slots for a large body, which the caller releases after the request
 * @returns the value in the other format; undefined for JSON
 * @throws {ApiError} 415, 413, 408, 400; for a large body also 401, 403, 409, 503
 */
export async function readBody(
  c: BodyContext,
  room: LargeBodyRoom,
  { jsonTypes, otherForm, mayBeAbsent }: BodyForms,
): Promise<ReadForm | undefined> {
  const { bounds } = room;
  const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const coding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  const form = otherForm?.mediaTypes.includes(mediaType) ? otherForm : undefined;
  const isSupported =
    (jsonTypes.includes(mediaType) || form !== undefined) && coding === "identity";
  if (!isSupported && !(mayBeAbsent && isAbsent(c.req.raw))) {
    if (mediaType === "" && isAbsent(c.req.raw)) {
      throw new ApiError("request_malformed_json", { reason: "empty" });
    }
    throw new ApiError("request_unsupported_media_type", {
      media_types: [...jsonTypes, ...(otherForm?.mediaTypes ?? [])],
    });
  }
  const admit = async () => {
    const { settings, tenant, keyHash } = c.var;
    if (keyHash === undefined || !wasGoodRecently(settings, keyHash)) {
      await judgeKey(tenant);
    }
    tenant?.noteLargeBody();
    return room.enter((await tenant?.organizationId()) ?? "");
  };
  const read = await readBytes(c.req.raw, admit, bounds.bytes);
  const bytes = mayBeAbsent && read.length === 0 ? emptyObject : read;
  await room.takeTurn();
  const { length } = bytes;
  c.var.tenant?.whenSent(() => room.endTurn(length));
  if (form) {
    const value = form.read(bytes, charsetOf(c.req.header("Content-Type")));
    room.releaseBuffer();
    return { form, value };
  }
  const mistaken = otherForm?.mistaken(bytes);
  if (mistaken !== undefined) {
    throw validationFailed(IssueList.of({ path: "body", message: mistaken, code: "custom" }));
  }
  refuseExcess(bytes, bounds);
  const text = decode(bytes);
  if (c.req.header("Idempotency-Key") !== undefined) {
    c.set("bodyHash", await sha256(bytes));
  }
  room.releaseBuffer();
  // Hono parses this text instead of reading the body again.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  return undefined;
}

/** The `charset` parameter of a media type (RFC 9110, section 8.3.1). */
const charsetOf = (contentType = ""): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? null;

/** True if the request has no body. */
const isAbsent = ({ body, headers }: Request): boolean =>
  body === null || headers.get("Content-Length") === "0";

function refuseExcess(bytes: Uint8Array, bounds: BodyBounds): void {
  const excess = findExcess(bytes, bounds.members);
  if (excess) {
    throw validationFailed(
      IssueList.of({ path: "body", message: messageOf(excess, bounds), code: "too_big" }),
    );
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError("request_malformed_json", { reason: "not_utf8" });
  }
}
