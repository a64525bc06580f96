import { useSignal } from "@preact/signals";
import type { Histogram } from "../api.ts";
import { clock, day, month, year } from "../dates.ts";
import {
  countOf,
  describePart,
  fractionOf,
  histogram,
  hostHistogram,
  type Scale,
  scale,
} from "./histogram.ts";

const width = 1000;
const height = 40;

interface Bars {
  begun: string;
  changed: string;
  ended: string;
}

/** The bars as three paths, so that the number of elements does not depend on the history. */
function barsOf({ buckets, interval_ms }: Histogram, of: Scale): Bars {
  const highest = Math.max(1, ...buckets.map(countOf));
  const bar = Math.max(1.5, (interval_ms / (of.end - of.start)) * width - 1.5);
  const bars = { begun: "", changed: "", ended: "" };
  for (const bucket of buckets) {
    const total = countOf(bucket);
    const counts = bucket.begun === null ? { ...bucket, changed: total } : bucket;
    const x = fractionOf(of, Date.parse(bucket.at)) * width;
    // The square root keeps individual changes visible next to imports with thousands of changes.
    const full = Math.max(4, Math.sqrt(total / highest) * height);
    let y = height;
    for (const kind of ["begun", "changed", "ended"] as const) {
      const part = ((counts[kind] ?? 0) / total) * full;
      if (part > 0) {
        y -= part;
        bars[kind] +=
          `M${x.toFixed(1)} ${y.toFixed(1)}h${bar.toFixed(1)}v${part.toFixed(1)}h-${bar.toFixed(1)}z`;
      }
    }
  }
  return bars;
}

/** The parts in which the open host changed, as a line under the bars. */
function marksOf({ buckets, interval_ms }: Histogram, of: Scale): string {
  const bar = Math.max(3, (interval_ms / (of.end - of.start)) * width - 1.5);
  return buckets
    .map(
      ({ at }) =>
        `M${(fractionOf(of, Date.parse(at)) * width).toFixed(1)} 0h${bar.toFixed(1)}v3h-${bar.toFixed(1)}z`,
    )
    .join("");
}

const dayMs = 86_400_000;

/** Instants to label on the axis: the beginnings of years, months, days or hours. */
function ticksOf({ start, end }: Scale): { time: number; label: string }[] {
  const span = end - start;
  const ticks: { time: number; label: string }[] = [];
  if (span > 60 * dayMs) {
    const step = span > 730 * dayMs ? 12 : span > 240 * dayMs ? 3 : 1;
    const first = new Date(start);
    for (let of = first.getUTCMonth() - (first.getUTCMonth() % step); ; of += step) {
      const time = Date.UTC(first.getUTCFullYear(), of, 1);
      if (time > end) {
        return ticks;
      }
      if (time >= start) {
        const label = new Date(time).getUTCMonth() === 0 ? year(time) : month(time);
        ticks.push({ time, label });
      }
    }
  }
  const steps = [1 / 288, 1 / 96, 1 / 24, 0.125, 0.5, 1, 7, 14].map((days) => days * dayMs);
  const step = steps.find((one) => span / one <= 8) ?? 14 * dayMs;
  for (let time = Math.ceil(start / step) * step; time <= end; time += step) {
    ticks.push({ time, label: step >= dayMs ? day(time) : clock(time) });
  }
  return ticks;
}

/** The histogram of all changes, with marks at the instants that the page shows. */
export function Strip({ instants }: { instants: number[] }) {
  const pointed = useSignal<{ left: number; text: string } | undefined>(undefined);
  const whole = histogram.loaded.value?.data;
  const of = scale.value;
  if (whole === undefined || of === undefined) {
    return <div class="strip" />;
  }
  const bars = barsOf(whole, of);
  const ofHost = hostHistogram.loaded.value?.data;
  const marks = instants.map((time) => fractionOf(of, time));
  const end = Math.max(...marks);
  const begin = marks.length > 1 ? Math.min(...marks) : 0;
  const point = (event: PointerEvent) => {
    const box =
      event.currentTarget instanceof Element && event.currentTarget.getBoundingClientRect();
    if (box && event.pointerType === "mouse") {
      const fraction = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      const text = describePart(whole, of.start + fraction * (of.end - of.start));
      pointed.value = { left: Math.max(0.1, Math.min(0.9, fraction)), text };
    }
  };
  return (
    <div class="strip" onPointerMove={point} onPointerLeave={() => (pointed.value = undefined)}>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="begun" d={bars.begun} />
        <path class="changed" d={bars.changed} />
        <path class="ended" d={bars.ended} />
      </svg>
      {ofHost && (
        <svg
          class="of-host"
          viewBox={`0 0 ${width} 3`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={marksOf(ofHost, of)} />
        </svg>
      )}
      <div class="outside" style={{ left: 0, width: `${begin * 100}%` }} />
      <div class="outside" style={{ left: `${end * 100}%`, right: 0 }} />
      {marks.map((left, index) => (
        <div
          key={index === 0 ? "first" : "second"}
          class={index === 0 ? "mark" : "mark later"}
          style={{ left: `${left * 100}%` }}
        />
      ))}
      <div class="axis" aria-hidden="true">
        {ticksOf(of).map(({ time, label }) => (
          <span key={time} style={{ left: `${fractionOf(of, time) * 100}%` }}>
            {label}
          </span>
        ))}
      </div>
      {pointed.value && (
        <div class="pointed" style={{ left: `${pointed.value.left * 100}%` }} aria-hidden="true">
          {pointed.value.text}
        </div>
      )}
    </div>
  );
}
