import type { Context } from "hono";
import type { TenantSession } from "../database/session.ts";
import { ApiError } from "../errors.ts";
import { judgeKey } from "./authenticate.ts";
import { readBytes } from "./body-bytes.ts";
import { type AppEnv, factory } from "./factory.ts";
import { IssueList, validationFailed } from "./issues.ts";
import { type Excess, findExcess, maxDepth, maxMembers } from "./json-budget.ts";
import { type LargeBodySlot, takeLargeBodySlot } from "./large-bodies.ts";

/** A request that may be to an operation that needs a key. */
type BodyContext = Context<AppEnv> & { var: { tenant?: TenantSession; keyHash?: string } };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

const bounds: Readonly<Record<Excess, string>> = {
  members: `must have at most ${maxMembers} members of arrays and fields of objects in all`,
  depth: `must have at most ${maxDepth} arrays and objects inside each other`,
};

/**
 * Reads a body that is JSON by its media type, small enough, and UTF-8 (RFC 8259, section 8.1); what
 * follows parses it. Decoding that replaces what it cannot read would change what is stored.
 *
 * A body of more than 64 KiB is read and judged only once the gate has accepted the key. That costs
 * such a request a second call of the database, which is little beside its size. Few large bodies
 * are held at once; what follows holds on to one until it is done with the request, since a field
 * can keep the whole text alive.
 *
 * @throws {ApiError} 415, 413, 400; of a large body 401, 403, 503
 */
export const readBody = factory.createMiddleware(async (c: BodyContext, next) => {
  const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  const coding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (mediaType !== "application/json" || coding !== "identity") {
    throw new ApiError("request_unsupported_media_type", {});
  }
  let slot: LargeBodySlot | undefined;
  try {
    const text = await readText(c.req.raw, async () => {
      await judgeKey(c.var.tenant);
      slot = await takeLargeBodySlot(c.var.keyHash ?? "");
      return slot.buffer;
    });
    // Hono parses the text that it finds here, instead of reading the body once more.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    await next();
  } finally {
    slot?.giveBack();
  }
});

/** A function of its own, so that the bytes are let go of before the text is parsed. */
async function readText(
  request: Request,
  admit: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const bytes = await readBytes(request, admit);
  const excess = findExcess(bytes);
  if (excess) {
    throw validationFailed(
      IssueList.of({ path: "body", message: bounds[excess], code: "too_big" }),
    );
  }
  return decode(bytes);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError("request_malformed_json", {});
  }
}
