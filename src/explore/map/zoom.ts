import { select } from "d3-selection";
import { type D3ZoomEvent, zoom, zoomIdentity } from "d3-zoom";
import type { Area } from "./parts.ts";

/** Positions on the screen are `k` times those on the map, plus `x` and `y`. */
export interface View {
  x: number;
  y: number;
  k: number;
}

export interface Zoom {
  set(view: View): void;
  scaleBy(factor: number): void;
  moveBy(x: number, y: number): void;
  detach(): void;
}

export const scales = { least: 0.02, most: 2.5 };

/** Lets the reader move and scale a drawing with a mouse, a trackpad or fingers. */
export function attachZoom(svg: SVGSVGElement, moved: (view: View) => void): Zoom {
  const behavior = zoom<SVGSVGElement, unknown>()
    .scaleExtent([scales.least, scales.most])
    .clickDistance(4)
    .on("zoom", ({ transform: { x, y, k } }: D3ZoomEvent<SVGSVGElement, unknown>) =>
      moved({ x, y, k }),
    );
  const selection = select<SVGSVGElement, unknown>(svg).call(behavior).on("dblclick.zoom", null);
  return {
    set: ({ x, y, k }) => behavior.transform(selection, zoomIdentity.translate(x, y).scale(k)),
    scaleBy: (factor) => behavior.scaleBy(selection, factor),
    moveBy: (x, y) => behavior.translateBy(selection, x, y),
    detach: () => {
      selection.on(".zoom", null);
    },
  };
}

/** The part of the map that is on the screen, enlarged on each side by a fraction of its size. */
export function areaOf(view: View, screen: { width: number; height: number }, by = 0): Area {
  const [width, height] = [screen.width / view.k, screen.height / view.k];
  return {
    x: -view.x / view.k - width * by,
    y: -view.y / view.k - height * by,
    width: width * (1 + 2 * by),
    height: height * (1 + 2 * by),
  };
}
