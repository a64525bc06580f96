import type { Host } from "../../client/app.d.ts";

type Interface = NonNullable<Host["interfaces"]>[number];

/** Formats sorted numbers as ranges: `1–3, 20`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) {
      last[1] = number;
    } else {
      ranges.push([number, number]);
    }
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ");
}

/** `VLAN 1, tagged 20, 30–39`, or an empty string if no VLAN is known. */
export const vlansOf = ({
  native_vlan,
  tagged_vlans,
}: Pick<Interface, "native_vlan" | "tagged_vlans">): string =>
  [
    native_vlan !== null && `VLAN ${native_vlan}`,
    tagged_vlans?.length && `tagged ${rangesOf(tagged_vlans)}`,
  ]
    .filter(Boolean)
    .join(", ");
