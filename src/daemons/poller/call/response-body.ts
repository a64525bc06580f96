import { findExcess } from "../../../http/body/json-budget.ts";
import { CallFailure } from "./call-failure.ts";

/** Limits on how much of a response is read, to bound the caller's memory. */
export interface ResponseBounds {
  bytes: number;
  /** Maximum number of array members and object fields, in total. */
  members: number;
  /** Called once, before more than {@link smallBytes} are buffered. */
  makeRoom?(): Promise<void>;
}

/**
 * Number of response bytes that are buffered without waiting for {@link ResponseBounds.makeRoom}.
 */
export const smallBytes = 64 * 1024;

/**
 * Reads a response. Stops reading when it exceeds the limit.
 * @throws {CallFailure} `too_large`; also throws errors of `makeRoom`
 */
export async function readBody(
  response: Response,
  { bytes: maximum, makeRoom }: ResponseBounds,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(0);
  let size = 0;
  let hasRoom = false;
  for await (const chunk of response.body ?? []) {
    signal.throwIfAborted();
    const total = size + chunk.byteLength;
    if (total > maximum) {
      throw new CallFailure("too_large");
    }
    if (total > smallBytes && !hasRoom) {
      await makeRoom?.();
      hasRoom = true;
    }
    if (total > buffer.length) {
      const grown = new Uint8Array(Math.min(maximum, Math.max(total, 2 * buffer.length)));
      grown.set(buffer.subarray(0, size));
      buffer = grown;
    }
    buffer.set(chunk, size);
    size = total;
  }
  return buffer.subarray(0, size);
}

/**
 * Parses JSON. Counts its members first: short JSON with many members would exhaust memory when
 * parsed.
 * @throws {CallFailure} `too_large` or `not_json`
 */
export function parse(bytes: Uint8Array, { members }: ResponseBounds): unknown {
  if (findExcess(bytes, members) !== null) {
    throw new CallFailure("too_large");
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new CallFailure("not_json");
  }
}
