import type { ChildId } from "../http/input/each-once.ts";

type Children = readonly { id?: string | undefined }[] | undefined;

/** Returns the ids that a request gives to a list of children. */
const idsOf = (kind: string, children: Children): ChildId[] =>
  (children ?? []).flatMap(({ id }, at) =>
    id === undefined ? [] : [{ kind, id, path: [kind, at, "id"] }],
  );

/** Returns the ids that a request gives to the bindings of a service. */
export const bindingIds = ({ bindings }: { bindings?: Children }): ChildId[] =>
  idsOf("bindings", bindings);

/** Returns the ids that a request gives to the children of a host, including bindings. */
export const childIds = (host: {
  ip_addresses?: Children;
  ports?: Children;
  interfaces?: Children;
  services?: readonly { id?: string | undefined; bindings?: Children }[] | undefined;
}): ChildId[] => [
  ...idsOf("ip_addresses", host.ip_addresses),
  ...idsOf("ports", host.ports),
  ...idsOf("interfaces", host.interfaces),
  ...idsOf("services", host.services),
  ...(host.services ?? []).flatMap((service, at) =>
    bindingIds(service).map((child) => ({ ...child, path: ["services", at, ...child.path] })),
  ),
];
