import type { Context } from "hono";
import type * as z from "zod";
import type { TenantSession } from "../../database/session.ts";
import { ApiError } from "../../errors/errors.ts";
import { judgeKey } from "../authenticate.ts";
import type { AppEnv } from "../factory.ts";
import { wasGoodRecently } from "../limits/rate-limit.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";
import { readBytes } from "./body-bytes.ts";
import { type Excess, findExcess, maxDepth } from "./json-budget.ts";
import type { BodyBounds, LargeBodyRoom } from "./large-bodies.ts";

/** A form of body other than JSON. */
export interface BodyForm<Schema extends z.ZodType = z.ZodType> {
  /** In lower case. */
  mediaTypes: readonly string[];
  /**
   * Reads it. The buffer is reused; do not keep it.
   * @param charset of the media type; null if it has none
   * @throws {ApiError} 400
   */
  read(bytes: Uint8Array, charset: string | null): unknown;
  /** What a body is that was sent as JSON, by its beginning, where it is something else: the end of a sentence. */
  mistaken(bytes: Uint8Array): string | undefined;
  /** Checks what was read, and makes of it what the body in JSON would be. */
  schema: Schema;
}

/** In which forms an operation takes its body. */
interface BodyForms {
  jsonTypes: readonly string[];
  otherForm: BodyForm | undefined;
  /** Whether all fields of the body are optional. */
  mayBeAbsent: boolean;
}

/** What was read of a body in a form other than JSON. */
export interface ReadForm {
  form: BodyForm;
  value: unknown;
}

/** A request that may be to an operation that needs a key. */
type BodyContext = Context<AppEnv> & { var: { tenant?: TenantSession; keyHash?: string } };

/** What a body is that was left out. */
const emptyObject = Uint8Array.from(new TextEncoder().encode("{}"));

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

const messageOf = (excess: Excess, { members }: BodyBounds): string =>
  excess === "members"
    ? `must have at most ${members} members of arrays and fields of objects in all`
    : `must have at most ${maxDepth} arrays and objects inside each other`;

/**
 * Reads a body that is JSON by its media type, small enough, and UTF-8 (RFC 8259, section 8.1), or in
 * the other form of its operation; what follows parses JSON. Decoding that replaces what it cannot
 * read would change what is stored.
 *
 * A body of more than 64 KiB is read only once the gate has accepted the key, in this request or
 * recently: a key that is not known to be good costs such a request a second call of the database.
 * Few large bodies arrive at once, and fewer are parsed at once: the request keeps its turn until
 * its statement has been sent, and its place among those under way until the answer, since a field
 * can keep the whole text alive.
 *
 * A body whose fields are all optional may be absent, whatever the media type says: it is then `{}`.
 *
 * @param room what the body takes if it is large: the caller leaves it once the request is served
 * @returns what was read in the other form; undefined of JSON
 * @throws {ApiError} 415, 413, 408, 400; of a large body 401, 403, 409, 503
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
    room.letGoOfBytes();
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
  room.letGoOfBytes();
  // Hono parses the text that it finds here, instead of reading the body once more.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  return undefined;
}

/** The parameter `charset` of a media type (RFC 9110, section 8.3.1). */
const charsetOf = (contentType = ""): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? null;

/** Whether a request says that it has no body. */
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

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError("request_malformed_json", { reason: "not_utf8" });
  }
}
