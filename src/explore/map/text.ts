type Font = "name" | "detail" | "title";

const context = document.createElement("canvas").getContext("2d");

const fonts = new Map<Font, string>();
const widths = new Map<string, number>();
/** Maximum number of widths in memory: three texts for each of 5,000 hosts. */
const maximumWidths = 15_000;

/** Returns a font of the map as a CSS value. Sizes and weights are those in explore.css. */
function fontOf(font: Font): string {
  const known = fonts.get(font);
  if (known !== undefined) {
    return known;
  }
  const { fontFamily } = getComputedStyle(document.body);
  const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono");
  const css = {
    name: `600 13px ${fontFamily}`,
    detail: `11px ${mono}`,
    title: `600 14px ${fontFamily}`,
  }[font];
  fonts.set(font, css);
  return css;
}

function measure(text: string, font: Font): number {
  const key = `${font} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) {
    return known;
  }
  if (!context) {
    return text.length * 8;
  }
  context.font = fontOf(font);
  const { width } = context.measureText(text);
  if (widths.size >= maximumWidths) {
    widths.clear();
  }
  widths.set(key, width);
  return width;
}

/** Returns the first text that fits a width or, if none does, the beginning of the last. */
export function truncate(font: Font, width: number, ...texts: readonly string[]): string {
  const fitting = texts.find((text) => measure(text, font) <= width);
  if (fitting !== undefined) {
    return fitting;
  }
  const characters = [...(texts.at(-1) ?? "")];
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${characters.slice(0, middle).join("")}…`, font) <= width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return `${characters.slice(0, low).join("").trimEnd()}…`;
}
