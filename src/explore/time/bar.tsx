import { useSignal } from "@preact/signals";
import { historyFrom, Problem } from "../api.ts";
import { comparison } from "../changes/comparison.ts";
import { minute, toInstant } from "../dates.ts";
import { summary } from "../hosts/marks.ts";
import { go, isDragging, place, range } from "../state.ts";
import {
  describePart,
  findChange,
  histogram,
  nameOf,
  positionOf,
  type Scale,
  scale,
  timeAt,
} from "./histogram.ts";
import { InstantDialog } from "./instant.tsx";
import { Strip } from "./strip.tsx";

/**
 * A slider over the whole history. The arrow keys move it by a day, an hour or a minute, depending
 * on the length of the history.
 */
function Slider({ of, name, label }: { of: Scale; name: "at" | "with"; label: string }) {
  const at = place.value[name];
  const whole = histogram.loaded.value?.data;
  const text =
    at === undefined || whole === undefined
      ? nameOf(at)
      : `${minute(at)}. ${describePart(whole, Date.parse(at))}`;
  return (
    <input
      type="range"
      class={name}
      min={0}
      max={of.last}
      step={1}
      value={positionOf(of, at)}
      aria-label={label}
      aria-valuetext={text}
      onInput={(event) => {
        const time = timeAt(of, event.currentTarget.valueAsNumber);
        isDragging.value = true;
        go({ [name]: time === undefined ? undefined : toInstant(time) }, "move");
      }}
      onChange={() => {
        isDragging.value = false;
      }}
    />
  );
}

/**
 * The time bar: selects the instant that the page shows, and displays when the inventory changed.
 */
export function TimeBar() {
  const dialog = useSignal<"at" | "with" | undefined>(undefined);
  const isUnfolded = useSignal(false);
  const { at, with: other, view, network } = place.value;
  const of = scale.value;
  const isComparing = view === "compare" || other !== undefined;
  const step = (direction: "previous" | "next") => async () => {
    try {
      const found = await findChange(at, direction, network);
      if (found !== undefined || direction === "next") {
        go({ at: found });
      }
    } catch (error) {
      // The page shows every failure of a request.
      if (!(error instanceof Problem)) {
        throw error;
      }
    }
  };
  const end = of?.end ?? 0;
  const times = [at, ...(isComparing ? [other] : [])].map((one) =>
    one === undefined ? end : Date.parse(one),
  );
  const first = histogram.loaded.value?.data.buckets[0]?.first_at;
  const isFirst = of !== undefined && at !== undefined && first !== undefined && at <= first;
  return (
    <section class={`time ${isUnfolded.value ? "unfolded" : ""}`} aria-label="Time">
      <div class="controls">
        {isComparing ? (
          <p class="instants">
            <span class="from">
              from <b>{range.value ? minute(range.value.from) : "…"}</b>
            </span>{" "}
            to <b class="to">{range.value?.to === undefined ? "now" : minute(range.value.to)}</b>
          </p>
        ) : (
          <div class="steps">
            <button
              type="button"
              class="icon"
              aria-label="Previous change"
              title="Previous change"
              disabled={isFirst}
              onClick={step("previous")}
            >
              ◀
            </button>
            <button
              type="button"
              class="instant"
              title="Choose an instant"
              onClick={() => {
                dialog.value = "at";
              }}
            >
              {nameOf(at)}
            </button>
            <button
              type="button"
              class="icon"
              aria-label="Next change"
              title="Next change"
              disabled={at === undefined}
              onClick={step("next")}
            >
              ▶
            </button>
          </div>
        )}
        {!isComparing && at !== undefined && <span class="past">past</span>}
        <p class="summary">{view === "compare" ? comparison.value : summary.value}</p>
        <div class="actions">
          <button
            type="button"
            class="unfold"
            aria-expanded={isUnfolded.value}
            onClick={() => {
              isUnfolded.value = !isUnfolded.value;
            }}
          >
            Timeline
          </button>
          {isComparing ? (
            <>
              <button
                type="button"
                onClick={() => {
                  dialog.value = "with";
                }}
              >
                Change…
              </button>
              <button
                type="button"
                onClick={() => go({ with: undefined, view: view === "compare" ? "changes" : view })}
              >
                Leave comparison
              </button>
            </>
          ) : (
            <button
              type="button"
              onClick={() => {
                dialog.value = "with";
              }}
            >
              Compare with…
            </button>
          )}
          {!isComparing && (
            <button type="button" disabled={at === undefined} onClick={() => go({ at: undefined })}>
              Now
            </button>
          )}
        </div>
      </div>
      {historyFrom.value && <p class="limit">History is kept from {minute(historyFrom.value)}.</p>}
      <div class={`slider ${isComparing ? "two" : ""}`}>
        <Strip instants={times.toSorted((one, next) => one - next)} />
        {of && <Slider of={of} name="at" label="Instant" />}
        {of && isComparing && <Slider of={of} name="with" label="Compared with" />}
      </div>
      {dialog.value && (
        <InstantDialog
          title={dialog.value === "at" ? "Go to an instant" : "Compare with"}
          base={at}
          choose={(chosen) =>
            go(dialog.value === "at" ? { at: chosen } : { with: chosen, view: "compare" })
          }
          close={() => {
            dialog.value = undefined;
          }}
        />
      )}
    </section>
  );
}
