import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";
import { safeName, type UniqueNames } from "./names.ts";

/** A node, as Oxidized's HTTP source reads it with `map: {name: name, ip: ip, model: model, group: group}`. */
export interface OxidizedNode {
  name: string;
  ip?: string;
  /** For `model_map`, as this service does not know which of Oxidized's models fits. */
  model?: string;
  group: string;
}

/**
 * The name of a model. Oxidized loads the Ruby file of this name where no `model_map` replaces it
 * (`lib/oxidized/manager.rb`), so it must be no path.
 */
const modelName = (text: string): string => text.replace(/[/\\\p{C}]+/gu, "_").replace(/^\.+/, "_");

/** A host as a node. Oxidized names files by its name and group. */
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
