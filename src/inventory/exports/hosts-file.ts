import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";
import { resolvableName } from "./names.ts";

/**
 * Formats a host as lines of a hosts file (hosts(5)): each of its addresses with its names. Empty
 * if the host has no usable name.
 */
export function linesOf({ name, hostname, addresses }: ExportedHost): string {
  const names = new Set([name, hostname ?? ""].flatMap((one) => resolvableName(one) ?? []));
  return names.size === 0
    ? ""
    : reachable(addresses)
        .map((address) => `${address}\t${[...names].join(" ")}\n`)
        .join("");
}
