import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";
import { safeName, type UniqueNames } from "./names.ts";

/** A node of Oxidized's HTTP source: `map: {name: name, ip: ip, model: model, group: group}`. */
export interface OxidizedNode {
  name: string;
  ip?: string;
  /** The input for `model_map`: this service does not know Oxidized's models. */
  model?: string;
  group: string;
}

/**
 * Returns a model name. It must not be a path: Oxidized loads the Ruby file with this name unless
 * `model_map` replaces it (`lib/oxidized/manager.rb`).
 */
const modelName = (text: string): string => text.replace(/[/\\\p{C}]+/gu, "_").replace(/^\.+/, "_");

/** Maps a host to a node. Oxidized names files after the node's name and group. */
export function toNode(host: ExportedHost, names: UniqueNames): OxidizedNode {
  const [ip] = reachable(host.addresses);
  const model = host.operating_system ?? host.manufacturer;
  return {
    name: names.of(host),
    ...(ip !== undefined && { ip }),
    ...(model !== null && { model: modelName(model) }),
    group: safeName(host.network),
  };
}
