import type { Context } from "hono";
import type * as z from "zod";
import type { TenantSession } from "../database/session.ts";
import { ApiError } from "../errors.ts";
import { judgeKey } from "./authenticate.ts";
import { readBytes } from "./body-bytes.ts";
import type { AppEnv } from "./factory.ts";
import { IssueList, validationFailed } from "./issues.ts";
import { type Excess, findExcess, maxDepth } from "./json-budget.ts";
import { type BodyBounds, type LargeBodySlot, takeLargeBodySlot } from "./large-bodies.ts";
import { wasGoodRecently } from "./rate-limit.ts";

/** A form of a body beside JSON. */
export interface BodyForm<Schema extends z.ZodType = z.ZodType> {
  /** In lower case. */
  mediaTypes: readonly string[];
  /**
   * Reads it. The bytes are another body's afterwards.
   * @throws {ApiError} 400
   */
  read(bytes: Uint8Array): unknown;
  /** Checks what was read, and makes of it what the body in JSON would be. */
  schema: Schema;
}

/** What was read of a body in another form than JSON. */
export interface ReadForm {
  form: BodyForm;
  value: unknown;
}

/** A request that may be to an operation that needs a key. */
type BodyContext = Context<AppEnv> & { var: { tenant?: TenantSession; keyHash?: string } };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

const messageOf = (excess: Excess, { members }: BodyBounds): string =>
  excess === "members"
    ? `must have at most ${members} members of arrays and fields of objects in all`
    : `must have at most ${maxDepth} arrays and objects inside each other`;

/**
 * Reads a body that is JSON by its media type, small enough, and UTF-8 (RFC 8259, section 8.1), or in
 * the other form of its operation; what follows parses JSON. Decoding that replaces what it cannot read would change what is stored.
 *
 * A body of more than 64 KiB is read only once the gate has accepted the key, in this request or
 * recently: a key that is not known to be good costs such a request a second call of the database.
 * Few large bodies are held at once; what follows holds on to one until it is done with the request, since a field
 * can keep the whole text alive.
 *
 * @param maxMembers the most members of arrays and fields of objects
 * @throws {ApiError} 415, 413, 400; of a large body 401, 403, 503
 */
export async function readBody(
  c: BodyContext,
  bounds: BodyBounds,
  otherForm: BodyForm | undefined,
  next: (read?: ReadForm) => Promise<void>,
): Promise<void> {
  const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const coding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  const form = otherForm?.mediaTypes.includes(mediaType) ? otherForm : undefined;
  if ((mediaType !== "application/json" && !form) || coding !== "identity") {
    throw new ApiError("request_unsupported_media_type", {
      media_types: ["application/json", ...(otherForm?.mediaTypes ?? [])],
    });
  }
  let slot: LargeBodySlot | undefined;
  const admit = async () => {
    const { settings, tenant, keyHash } = c.var;
    if (keyHash === undefined || !wasGoodRecently(settings, keyHash)) {
      await judgeKey(tenant);
    }
    slot = await takeLargeBodySlot(keyHash ?? "", bounds);
    return slot.buffer;
  };
  try {
    if (form) {
      await next({ form, value: form.read(await readBytes(c.req.raw, admit, bounds.bytes)) });
      return;
    }
    const text = await readText(c.req.raw, bounds, admit);
    if (c.req.header("Idempotency-Key") !== undefined) {
      c.set("bodyHash", await sha256(text));
    }
    // Hono parses the text that it finds here, instead of reading the body once more.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    await next();
  } finally {
    slot?.giveBack();
  }
}

/** A function of its own, so that the bytes are let go of before the text is parsed. */
async function readText(
  request: Request,
  bounds: BodyBounds,
  admit: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const bytes = await readBytes(request, admit, bounds.bytes);
  const excess = findExcess(bytes, bounds.members);
  if (excess) {
    throw validationFailed(
      IssueList.of({ path: "body", message: messageOf(excess, bounds), code: "too_big" }),
    );
  }
  return decode(bytes);
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError("request_malformed_json", {});
  }
}
