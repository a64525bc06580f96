import type { Change, Difference } from "../api.ts";

type Entity = Change["entity"];
type Field = NonNullable<Change["after"]>[string] | undefined;
type Kind = "added" | "removed" | "changed" | "returned";

/** The fields that a change and a difference have in common. */
export type Record = Change | Difference;

const kinds = {
  created: "added",
  added: "added",
  deleted: "removed",
  removed: "removed",
  updated: "changed",
  changed: "changed",
  returned: "returned",
} as const satisfies { [Each in Record["change"]]: Kind };

export const kindOf = ({ change }: Record): Kind => kinds[change];

export const signs = { added: "+", removed: "−", changed: "~", returned: "↺" } as const;

export const entityNames: { [Each in Entity]: string } = {
  Binding: "Binding",
  Host: "Host",
  IPAddress: "Address",
  Interface: "Interface",
  Neighbor: "Neighbor",
  Port: "Port",
  Service: "Service",
  Subnet: "Subnet",
};

const fieldNames: { [name: string]: string } = {
  sys_descr: "system description",
  sys_name: "system name",
  sys_location: "location",
  sys_contact: "contact",
  sys_object_id: "system object",
  management_url: "management address",
  chassis_id: "chassis",
  mac_address: "MAC address",
  speed_bps: "speed",
  oper_status: "status",
  admin_status: "administrative status",
  if_index: "index",
  ip_address_ids: "addresses",
  service_definition: "product",
};

const nameOf = (field: string) =>
  fieldNames[field] ?? field.replace(/_id$/, "").replaceAll("_", " ");

const isScalar = (value: Field) => value === null || typeof value !== "object";
const textOf = (value: Field) =>
  value === null || value === undefined || value === "" ? "none" : String(value);

/**
 * Describes every changed field, for example `name: diskstation → nas`. Fields that changed in the
 * same way appear once.
 */
function changedFields({ changed, before, after }: Record): string {
  const sentences = new Map<string, string>();
  for (const field of changed) {
    const [old, current] = [before?.[field], after?.[field]];
    if (field === "is_stale") {
      sentences.set(field, String(current) === "false" ? "is seen again" : "is no longer seen");
    } else if (isScalar(old) && isScalar(current) && !field.endsWith("_id")) {
      const values = `${textOf(old)} → ${textOf(current)}`;
      if (field === "operating_system" || !sentences.has(values)) {
        sentences.set(values, `${nameOf(field)}: ${values}`);
      }
    } else {
      sentences.set(field, `another ${nameOf(field)}`);
    }
  }
  return [...sentences.values()].join("; ");
}

const wordsWithout = (text: string, other: string) => {
  const words = new Set(other.split(" "));
  return text
    .split(" ")
    .filter((word) => !words.has(word))
    .join(" ");
};

/** Describes a change to a record, without the name of the record. */
export function sentenceOf(record: Record): string {
  const kind = kindOf(record);
  const isBinding = record.entity === "Binding";
  if (kind === "added") {
    return isBinding ? "listens" : `new ${entityNames[record.entity].toLowerCase()}`;
  }
  if (kind === "removed") {
    return isBinding ? "no longer listens" : "gone";
  }
  if (kind === "returned") {
    return isBinding ? "listens again" : "is back";
  }
  if (!isBinding) {
    return changedFields(record);
  }
  const { label, label_before } = record;
  const [from, to] = label_before
    ? [wordsWithout(label_before, label), wordsWithout(label, label_before)]
    : ["", ""];
  return from && to ? `moved from ${from} to ${to}` : "listens elsewhere than before";
}

const contains = (text: string | null | undefined, word: string) =>
  ` ${text ?? ""} `.includes(` ${word} `);

/**
 * Returns true if a binding of the same host implies that this port or service was added or
 * removed.
 */
function isImplied(record: Record, bindings: readonly Record[]): boolean {
  if (record.entity !== "Port" && record.entity !== "Service") {
    return false;
  }
  const kind = kindOf(record);
  return bindings.some((binding) => {
    if (binding.host_id !== record.host_id || binding.at !== record.at) {
      return false;
    }
    const ofBinding = kindOf(binding);
    return kind === "removed"
      ? contains(ofBinding === "removed" ? binding.label : binding.label_before, record.label)
      : kind !== "changed" && ofBinding !== "removed" && contains(binding.label, record.label);
  });
}

/** Omits the ports and services that were added or removed together with a binding in the list. */
export function withoutImplied<R extends Record>(records: readonly R[]): R[] {
  const bindings = records.filter(({ entity }) => entity === "Binding");
  return records.filter((record) => !isImplied(record, bindings));
}

/** `daemon attic`, the subject of a token, or null for the service itself. */
export function actorOf({ actor }: Record): string | null {
  const name = actor.name ?? "";
  return {
    daemon: `daemon ${name}`,
    key: `key ${name}`,
    token: name,
    import: `import with key ${name}`,
    operator: `operator ${name}`,
    system: null,
  }[actor.type];
}
