import * as z from "zod";
import { maximumInterfacedCidrs } from "../../../database/tables/index.ts";
import { cidr } from "../../../http/input/network.ts";
import { textOf } from "../../../http/input/text.ts";
import type { PollOutcome } from "../claim/state.ts";
import { callDaemon } from "./call.ts";
import { CallFailure } from "./call-failure.ts";

/** How long a daemon may take to respond, in milliseconds. */
export const contactDeadlineMs = 10_000;

/** A version ends up on consoles: nothing in it may steer them, or turn the direction of text. */
const versionSchema = textOf(1, 64).regex(/^\P{C}*$/u);

/** A daemon's response, in this service's own envelope. It is untrusted: unknown fields are dropped. */
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

/** The networks that a daemon says it is attached to: as many as are kept. What is none is left out. */
const attachedTo = (subnets: readonly unknown[]): string[] =>
  subnets
    .flatMap((subnet) => attachedSchema.safeParse(subnet).data?.cidr ?? [])
    .slice(0, maximumInterfacedCidrs);

/**
 * Requests the status of a daemon. Never throws: what went wrong is the outcome.
 * @param url where the daemon listens; checked before anything is sent
 * @param token what the daemon knows the service by
 * @param options.allowsPrivate whether daemons at private addresses may be contacted
 * @param options.deadlineMs how long the whole response may take, in milliseconds
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
          interfaced_cidrs: attachedTo(status.data.data.interfaced_subnets),
        }
      : { error: "wrong_shape", http_status: null };
  } catch (error) {
    if (!(error instanceof CallFailure)) {
      throw error;
    }
    return { error: error.reason, http_status: error.httpStatus };
  }
}
