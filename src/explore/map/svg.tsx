import { render } from "preact";
import { Drawing, type Look } from "./drawing.tsx";
import type { Layout } from "./layout.ts";

const namespace = "http://www.w3.org/2000/svg";
const margin = 24;

const properties = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** Attributes that only the page needs. */
const interactive = ["class", "id", "role", "tabindex", "aria-label", "aria-pressed", "data-id"];

/** Returns a layout as an SVG file that needs no style sheet. */
export function svgOf(layout: Layout, look: Look): string {
  const svg = document.createElementNS(namespace, "svg");
  const { width, height } = layout;
  // Styles are computed only for elements that are in the document.
  const holder = document.createElement("div");
  holder.className = "map hidden";
  holder.append(svg);
  document.body.append(holder);
  const all = { x: -margin, y: -margin, width: width + 2 * margin, height: height + 2 * margin };
  const cards = look.cards.length === 0 ? [] : layout.cards;
  render(<Drawing layout={layout} look={{ ...look, area: all, cards, scale: 1 }} />, svg);
  for (const element of svg.querySelectorAll("*")) {
    const computed = getComputedStyle(element);
    for (const property of properties) {
      const value = computed.getPropertyValue(property);
      if (value && value !== "normal") {
        element.setAttribute(property, value);
      }
    }
    for (const name of interactive) {
      element.removeAttribute(name);
    }
  }
  const paper = document.createElementNS(namespace, "rect");
  for (const [name, value] of Object.entries({
    ...all,
    fill: getComputedStyle(document.body).backgroundColor,
  })) {
    paper.setAttribute(name, String(value));
  }
  svg.prepend(paper);
  svg.setAttribute("viewBox", `${all.x} ${all.y} ${all.width} ${all.height}`);
  svg.setAttribute("width", String(all.width));
  svg.setAttribute("height", String(all.height));
  const text = new XMLSerializer().serializeToString(svg);
  render(null, svg);
  holder.remove();
  return text;
}
