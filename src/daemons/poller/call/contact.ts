import * as z from "zod";
import { maximumInterfacedCidrs } from "../../../database/tables/index.ts";
import { cidr } from "../../../http/input/network.ts";
import { textOf } from "../../../http/input/text.ts";
import type { PollOutcome } from "../claim/state.ts";
import { callDaemon } from "./call.ts";
import { CallFailure } from "./call-failure.ts";

/** The deadline for a status request, in milliseconds. */
export const contactDeadlineMs = 10_000;

/**
 * A version is printed to terminals, so control characters and characters that change the text
 * direction are rejected.
 */
const versionSchema = textOf(1, 64).regex(/^\P{C}*$/u);

/**
 * A daemon's status, in the same envelope as this API. Daemons are untrusted: unknown fields are
 * dropped.
 */
const statusSchema = z.object({
  success: z.literal(true),
  data: z.object({
    version: versionSchema.nullish(),
    name: textOf(1, 255).nullish(),
    mode: textOf(1, 64).nullish(),
    ready_for_work: z.boolean().nullish(),
    has_docker_socket: z.boolean().nullish().catch(null),
    interfaced_subnets: z.array(z.unknown()).catch([]),
  }),
});

const attachedSchema = z.object({ cidr });

/**
 * Returns the blocks that a daemon is attached to, up to the maximum number that is stored. Skips
 * invalid blocks.
 */
const interfacedCidrs = (subnets: readonly unknown[]): string[] =>
  subnets
    .flatMap((subnet) => attachedSchema.safeParse(subnet).data?.cidr ?? [])
    .slice(0, maximumInterfacedCidrs);

/**
 * Requests the status of a daemon. A failed call is an outcome, not an exception.
 * @param url the URL of the daemon; validated before anything is sent
 * @param token authenticates the service to the daemon
 * @param options.allowsPrivate allows private addresses and unencrypted URLs
 * @param options.deadlineMs the deadline for the complete response, in milliseconds
 */
export async function contactDaemon(
  url: string,
  token: string,
  { allowsPrivate, deadlineMs }: { allowsPrivate: boolean; deadlineMs: number },
): Promise<PollOutcome> {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const json = await callDaemon({ url, token, allowsPrivate }, { path: "status", signal });
    const status = statusSchema.safeParse(json);
    return status.success
      ? {
          error: null,
          version: status.data.data.version ?? null,
          isReady: status.data.data.ready_for_work ?? true,
          has_docker_socket: status.data.data.has_docker_socket ?? false,
          interfaced_cidrs: interfacedCidrs(status.data.data.interfaced_subnets),
        }
      : { error: "wrong_shape", http_status: null };
  } catch (error) {
    if (!(error instanceof CallFailure)) {
      throw error;
    }
    return { error: error.reason, http_status: error.httpStatus };
  }
}
