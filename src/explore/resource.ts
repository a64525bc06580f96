import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { noteFailing, noteRecovered, Problem, retries } from "./api.ts";
import { settleMs } from "./state.ts";

/** Data from the API that follows the page's state. */
export interface Resource<Args, T> {
  /** The last data that arrived, and the arguments for which it was requested. */
  readonly loaded: ReadonlySignal<{ args: Args; data: T } | undefined>;
  /** The failure of the last request. */
  readonly problem: ReadonlySignal<Problem | undefined>;
  /** True while data for other arguments is being requested. */
  readonly isLoading: ReadonlySignal<boolean>;
}

/**
 * Requests data whenever its arguments change, and again after a temporary failure. A request that
 * is no longer needed is aborted. Data stays until newer data arrives.
 * @param select returns the arguments, or undefined if there is nothing to request
 */
export function resource<Args, T>(
  select: () => Args | undefined,
  load: (args: Args, abort: AbortSignal) => Promise<T>,
): Resource<Args, T> {
  const loaded = signal<{ args: Args; data: T } | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  const isLoading = signal(false);
  let last: string | undefined;
  let attempt = 0;
  let abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  effect(() => {
    const args = select();
    const wanted = args === undefined ? undefined : JSON.stringify(args);
    const isRepeated = retries.value !== attempt && problem.peek()?.retryAfterMs !== undefined;
    attempt = retries.value;
    if (wanted === last && !isRepeated) {
      return;
    }
    last = wanted;
    abort.abort();
    clearTimeout(timer);
    if (args === undefined) {
      loaded.value = undefined;
      problem.value = undefined;
      noteRecovered(problem);
      isLoading.value = false;
      return;
    }
    isLoading.value = true;
    const controller = new AbortController();
    abort = controller;
    timer = setTimeout(async () => {
      try {
        const data = await load(args, controller.signal);
        if (!controller.signal.aborted) {
          loaded.value = { args, data };
          problem.value = undefined;
          noteRecovered(problem);
        }
      } catch (error) {
        if (controller.signal.aborted) {
          return;
        }
        if (!(error instanceof Problem)) {
          throw error;
        }
        problem.value = error;
        if (error.retryAfterMs === undefined) {
          noteRecovered(problem);
        } else {
          noteFailing(problem);
        }
      }
      if (!controller.signal.aborted) {
        isLoading.value = false;
      }
    }, settleMs.peek());
  });
  return { loaded, problem, isLoading };
}
