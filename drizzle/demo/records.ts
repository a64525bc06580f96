import demo from "../demo.json" with { type: "json" };
import { demoId } from "./id.ts";

export interface Context {
  organization_id: string;
  /** The time of the last sighting of all live records. */
  lastSeen: string;
}

/** The interval of a record that has only one version, either live or closed. */
export function interval(id: string, since: string, until: string | undefined, lastSeen: string) {
  const times = { created_at: since, updated_at: since, valid_from: since };
  return until === undefined
    ? { ...times, id, last_seen_at: lastSeen, valid_to: null, lineage_id: null }
    : {
        ...times,
        id: demoId(`version ${id}`),
        last_seen_at: until,
        valid_to: until,
        lineage_id: id,
      };
}

/** Returns the id of a demo network by its name. */
export const networkOf = (networkName: string) =>
  demo.networks.find(({ name }) => name === networkName)?.id ?? "";

/** A made-up, locally administered MAC address. */
export const macOf = (address: string) =>
  `02:${(demoId(`mac ${address}`).slice(0, 8) + address.length.toString(16).padStart(2, "0")).match(/../g)?.join(":")}`;
