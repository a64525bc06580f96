import type { ChildId } from "../http/input/each-once.ts";

type Sent = readonly { id?: string | undefined }[] | undefined;

/** The ids that a request gives to a list of children. */
const idsOf = (kind: string, sent: Sent): ChildId[] =>
  (sent ?? []).flatMap(({ id }, at) =>
    id === undefined ? [] : [{ kind, id, path: [kind, at, "id"] }],
  );

/** The ids that a request gives to the bindings of a service. */
export const bindingIds = ({ bindings }: { bindings?: Sent }): ChildId[] =>
  idsOf("bindings", bindings);

/** The ids that a request gives to all that a host carries. */
export const childIds = (host: {
  ip_addresses?: Sent;
  ports?: Sent;
  interfaces?: Sent;
  services?: readonly { id?: string | undefined; bindings?: Sent }[] | undefined;
}): ChildId[] => [
  ...idsOf("ip_addresses", host.ip_addresses),
  ...idsOf("ports", host.ports),
  ...idsOf("interfaces", host.interfaces),
  ...idsOf("services", host.services),
  ...(host.services ?? []).flatMap((service, at) =>
    bindingIds(service).map((child) => ({ ...child, path: ["services", at, ...child.path] })),
  ),
];
