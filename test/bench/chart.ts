/** A line of a chart. */
export interface Series {
  name: string;
  points: readonly { x: number; y: number }[];
  /** Drawn dashed, without points: something to compare with. */
  isReference?: boolean;
}

/** One coordinate system with its lines. */
export interface Panel {
  title: string;
  xLabel: string;
  yLabel: string;
  series: readonly Series[];
}

/** Of all panels together. */
const width = 880;
const height = 300;
const margin = { top: 44, right: 24, bottom: 46, left: 56 };
/** Tell lines apart on white and on black, and by people who see colours differently (Okabe, Ito). */
const colours = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#8a7f00",
  "#7a6fd0",
  "#117733",
];

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Round numbers from 0 to at least the maximum. */
function ticks(maximum: number): number[] {
  const rough = maximum / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(maximum / step) + 1 }, (_, index) => index * step);
}

const short = (value: number) =>
  value >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 100) / 100);

function drawPanel(
  { title, xLabel, yLabel, series }: Panel,
  { left, width }: { left: number; width: number },
): string {
  const all = series.flatMap(({ points }) => points);
  const [xTicks, yTicks] = [
    ticks(Math.max(...all.map(({ x }) => x))),
    ticks(Math.max(...all.map(({ y }) => y))),
  ];
  const [xMaximum, yMaximum] = [xTicks.at(-1) ?? 1, yTicks.at(-1) ?? 1];
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const x = (value: number) => margin.left + (value / xMaximum) * (right - margin.left);
  const y = (value: number) => bottom - (value / yMaximum) * (bottom - margin.top);
  const parts = [
    `<text class="title" x="${margin.left}" y="20">${escaped(title)}</text>`,
    `<text x="${(margin.left + right) / 2}" y="${height - 10}" text-anchor="middle">${escaped(xLabel)}</text>`,
    `<text x="${margin.left}" y="36">${escaped(yLabel)}</text>`,
    ...yTicks.map(
      (tick) =>
        `<line class="grid" x1="${margin.left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${margin.left - 6}" y="${y(tick) + 4}" text-anchor="end">${short(tick)}</text>`,
    ),
    ...xTicks.map(
      (tick) =>
        `<text x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${short(tick)}</text>`,
    ),
  ];
  let number = 0;
  for (const { points, isReference } of series) {
    const path = points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`);
    if (isReference) {
      parts.push(`<polyline class="reference" points="${path.join(" ")}"/>`);
      continue;
    }
    const colour = colours[number++ % colours.length];
    parts.push(`<polyline points="${path.join(" ")}" stroke="${colour}"/>`);
    parts.push(
      ...path.map((point) => {
        const [cx, cy] = point.split(",");
        return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
      }),
    );
  }
  return `<g transform="translate(${left} 0)">${parts.join("")}</g>`;
}

/** The names of the lines, below the panels. */
function drawLegend(series: readonly Series[]): string {
  let number = 0;
  return series
    .map(({ name, isReference }, position) => {
      const x = margin.left + (position % 3) * 270;
      const y = height + 14 + Math.floor(position / 3) * 18;
      const line = isReference
        ? `class="reference"`
        : `stroke="${colours[number++ % colours.length]}" stroke-width="2"`;
      return `<line ${line} x1="${x}" x2="${x + 22}" y1="${y - 4}" y2="${y - 4}"/><text x="${x + 28}" y="${y}">${escaped(name)}</text>`;
    })
    .join("");
}

/**
 * Panels beside each other as an SVG that is readable on white and on black.
 * @param title for those who cannot see it
 */
export function chart(title: string, panels: readonly Panel[]): string {
  const series = panels[0]?.series ?? [];
  const hasLegend = series.length > 1;
  const each = width / panels.length;
  const tall = height + (hasLegend ? Math.ceil(series.length / 3) * 18 + 8 : 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${tall}" font-family="system-ui, sans-serif" font-size="12">
<title>${escaped(title)}</title>
<style>
text { fill: #24292f; }
.title { font-size: 14px; font-weight: 600; }
.grid { stroke: #8c959f; stroke-opacity: 0.35; }
polyline { fill: none; stroke-width: 2; }
.reference { stroke: #8c959f; stroke-width: 2; stroke-dasharray: 5 4; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
</style>
${panels.map((panel, position) => drawPanel(panel, { left: position * each, width: each })).join("\n")}
${hasLegend ? drawLegend(series) : ""}
</svg>
`;
}
