import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Difference, type HostDifference, Problem } from "../api.ts";
import { marks } from "../hosts/marks.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { place, range } from "../state.ts";
import { Whose } from "./changes.tsx";
import { differences, differencesOf } from "./comparison.ts";
import { Rows } from "./rows.tsx";
import { withoutImplied } from "./sentence.ts";

const hostsAtOnce = 100;

/** One host of a comparison that is too long to show at once: its differences are read on demand. */
function Folded({ of }: { of: HostDifference }) {
  const items = useSignal<Difference[] | undefined>(undefined);
  const counts = (["added", "removed", "changed", "returned"] as const)
    .filter((kind) => of[kind] > 0)
    .map((kind) => `${of[kind]} ${kind}`);
  return (
    <details
      class="folded"
      onToggle={async (event) => {
        if (event.currentTarget.open && items.value === undefined) {
          try {
            items.value = await differencesOf(of.host_id);
          } catch (error) {
            // The page shows every failure of a request.
            if (!(error instanceof Problem)) {
              throw error;
            }
          }
        }
      }}
    >
      <summary>
        <b>{of.label}</b> <span class="soft">{counts.join(", ")}</span>
      </summary>
      {items.value === undefined ? (
        <p class="soft">Loading…</p>
      ) : (
        <Rows records={items.value} isDated />
      )}
    </details>
  );
}

/** The differences between the two instants, grouped by host. */
export function Compare() {
  const shown = useSignal(hostsAtOnce);
  const loaded = differences.loaded.value;
  useEffect(() => {
    shown.value = hostsAtOnce;
  }, [loaded]);
  if (range.value === null) {
    return (
      <div class="nothing">
        <h2>Two instants are needed.</h2>
        <p>Move the time bar, or choose “Change…” in it, to compare an instant with now.</p>
      </div>
    );
  }
  const problem = differences.problem.value;
  if (problem && (loaded === undefined || problem.retryAfterMs === undefined)) {
    return <Failure problem={problem} />;
  }
  if (loaded === undefined) {
    return <p class="soft page">Comparing…</p>;
  }
  const { items, total } = loaded.data;
  const byHost = marks.loaded.value?.data.hosts;
  const groups = [...Map.groupBy(items, ({ host_id, network_id }) => host_id ?? network_id)];
  const isWhole = total <= items.length;
  const folded = isWhole ? [] : [...(byHost?.values() ?? [])];
  const hidden = isWhole ? items.length - withoutImplied(items).length : 0;
  const count = isWhole ? groups.length : folded.length;
  return (
    <section class="page" aria-labelledby="compare-title" aria-busy={differences.isLoading.value}>
      <header class="title">
        <h2 id="compare-title">Differences</h2>
        {place.value.with !== undefined && (
          <Link to={{ view: "changes" }}>Every change in between</Link>
        )}
      </header>
      {hidden > 0 && (
        <p class="soft">
          {hidden === 1
            ? "1 port or service that changed"
            : `${hidden} ports and services that changed`}{" "}
          with a binding {hidden === 1 ? "is" : "are"} not listed separately.
        </p>
      )}
      {total === 0 && <p>Nothing differs between these instants.</p>}
      {isWhole
        ? groups.slice(0, shown.value).map(([id, ofHost]) => (
            <section key={id}>
              <Whose
                host={ofHost[0]?.host_id ?? null}
                name={ofHost[0]?.host_label ?? ""}
                network={ofHost[0]?.network_id ?? ""}
              />
              <Rows records={ofHost} isDated />
            </section>
          ))
        : folded.slice(0, shown.value).map((of) => <Folded key={of.host_id} of={of} />)}
      {count > shown.value && (
        <button
          type="button"
          onClick={() => {
            shown.value += hostsAtOnce;
          }}
        >
          Show {Math.min(hostsAtOnce, count - shown.value)} more hosts
        </button>
      )}
    </section>
  );
}
