import { findExcess } from "../../../http/body/json-budget.ts";
import { CallFailure } from "./call-failure.ts";

/** What is read of a response, which is all that the caller's memory must hold. */
export interface ResponseBounds {
  bytes: number;
  /** Members of arrays and fields of objects, all together. */
  members: number;
  /** Called once, before more than {@link smallBytes} are held. */
  makeRoom?(): Promise<void>;
}

/** How much of a response is read without further ado, in bytes. */
export const smallBytes = 64 * 1024;

/**
 * Reads no more of a response than is allowed, however much is sent.
 * @throws {CallFailure} `too_large`; what `makeRoom` throws
 */
export async function readBody(
  response: Response,
  { bytes: maximum, makeRoom }: ResponseBounds,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let held = new Uint8Array(0);
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
    if (total > held.length) {
      const grown = new Uint8Array(Math.min(maximum, Math.max(total, 2 * held.length)));
      grown.set(held.subarray(0, size));
      held = grown;
    }
    held.set(chunk, size);
    size = total;
  }
  return held.subarray(0, size);
}

/**
 * Parses JSON. Judges how much there is first, since a parser's own memory is what an attacker goes for.
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
