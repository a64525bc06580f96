import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Problem, retryNow, trouble } from "./api.ts";
import { day, localClock } from "./dates.ts";
import { Link } from "./link.tsx";
import { place } from "./state.ts";

const reasons: { [code: string]: string } = {
  rate_limit_exceeded: "Too many requests.",
  service_unavailable: "The service cannot reach its database.",
};

/**
 * States that requests are temporarily failing, how old the data is, and when the next attempt will
 * be made.
 */
export function Trouble() {
  const seconds = useSignal(0);
  const current = trouble.value;
  useEffect(() => {
    if (current === undefined) {
      return undefined;
    }
    const count = () => {
      seconds.value = Math.max(0, Math.ceil((current.retryAt - Date.now()) / 1000));
    };
    count();
    const timer = setInterval(count, 1000);
    return () => clearInterval(timer);
  }, [current]);
  if (current === undefined) {
    return null;
  }
  const { problem, asOf } = current;
  return (
    <div class="trouble">
      <p role="alert">
        {reasons[problem.code] ?? problem.message}{" "}
        {asOf === undefined ? "Nothing was read yet." : `The data is as of ${localClock(asOf)}.`}
      </p>
      <span>{seconds.value > 0 ? `Trying again in ${seconds.value} s` : "Trying again…"}</span>
      <button type="button" onClick={retryNow}>
        Try now
      </button>
    </div>
  );
}

/** A failure that lasts until the request changes. */
export function Failure({ problem }: { problem: Problem }) {
  const from = problem.params["history_from"];
  if (typeof from === "string") {
    return (
      <div class="nothing">
        <h2>History is kept from {day(from)}.</h2>
        <p>Nothing is known of the time before.</p>
        <p>
          <Link to={{ at: from, with: undefined }}>Go to {day(from)}</Link>
        </p>
      </div>
    );
  }
  if (problem.code === "topology_too_large") {
    return (
      <div class="nothing">
        <h2>This map is too large to draw.</h2>
        <p>Choose one network, or show the map around one host.</p>
        {place.value.layer && (
          <p>
            <Link to={{ layer: undefined, depth: undefined }}>Show the subnets instead</Link>
          </p>
        )}
      </div>
    );
  }
  if (problem.code === "range_too_large") {
    return (
      <div class="nothing">
        <h2>Too much changed between these two instants.</h2>
        <p>Compare instants that are closer to each other, or choose one network.</p>
      </div>
    );
  }
  if (problem.retryAfterMs !== undefined) {
    return (
      <div class="nothing">
        <h2>Nothing to show yet.</h2>
        <p>{reasons[problem.code] ?? problem.message}</p>
      </div>
    );
  }
  return (
    <div class="nothing">
      <h2>This did not work.</h2>
      <p>{problem.message}</p>
    </div>
  );
}
