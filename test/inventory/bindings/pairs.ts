/**
 * A binding, identified by natural keys. If `port` is null, the service is bound to the address
 * itself. If `address` is null, the service is bound on all addresses.
 */
export interface PairMember {
  service: "Web" | "Admin";
  port: 8080 | 8443 | null;
  address: "10.77.0.3" | "10.77.0.4" | null;
}

/**
 * The relation between two bindings on one host (API contract, section 9), in the order in which
 * they are written.
 *
 * - `both`: they are compatible.
 * - `conflict`: they are not compatible.
 * - `equal`: they are the same binding.
 * - `narrower` and `wider`: they bind the same service and port, one of them on one address and the
 *   other on all addresses. The name of the relation describes the second binding.
 */
type Relation = "both" | "conflict" | "equal" | "narrower" | "wider";

export interface BindingPair {
  name: string;
  first: PairMember;
  second: PairMember;
  relation: Relation;
}

const on = (
  service: PairMember["service"],
  port: PairMember["port"],
  address: "one" | "two" | "all",
): PairMember => ({
  service,
  port,
  address: address === "all" ? null : address === "one" ? "10.77.0.3" : "10.77.0.4",
});

const pairs: [string, PairMember, PairMember, Relation][] = [
  ["an address, and a port on it", on("Web", null, "one"), on("Web", 8080, "one"), "conflict"],
  [
    "a port on an address, and the address",
    on("Web", 8080, "one"),
    on("Web", null, "one"),
    "conflict",
  ],
  ["an address, and a port on all", on("Web", null, "one"), on("Web", 8080, "all"), "conflict"],
  ["a port on all, and an address", on("Web", 8080, "all"), on("Web", null, "one"), "conflict"],
  [
    "a port on an address, for two services",
    on("Web", 8080, "one"),
    on("Admin", 8080, "one"),
    "conflict",
  ],
  [
    "a port on all, then on one, for two services",
    on("Web", 8080, "all"),
    on("Admin", 8080, "one"),
    "conflict",
  ],
  [
    "a port on one, then on all, for two services",
    on("Web", 8080, "one"),
    on("Admin", 8080, "all"),
    "conflict",
  ],
  ["a port on all, for two services", on("Web", 8080, "all"), on("Admin", 8080, "all"), "conflict"],
  ["a port on an address, twice", on("Web", 8080, "one"), on("Web", 8080, "one"), "equal"],
  ["a port on all, twice", on("Web", 8080, "all"), on("Web", 8080, "all"), "equal"],
  ["a port on all, then on one", on("Web", 8080, "all"), on("Web", 8080, "one"), "narrower"],
  ["a port on one, then on all", on("Web", 8080, "one"), on("Web", 8080, "all"), "wider"],
  [
    "an address, and a port on another address",
    on("Web", null, "one"),
    on("Web", 8080, "two"),
    "both",
  ],
  ["two addresses", on("Web", null, "one"), on("Web", null, "two"), "both"],
  ["an address, for two services", on("Web", null, "one"), on("Admin", null, "one"), "both"],
  [
    "an address, and a port on it, for two services",
    on("Web", null, "one"),
    on("Admin", 8080, "one"),
    "both",
  ],
  ["a port on two addresses", on("Web", 8080, "one"), on("Web", 8080, "two"), "both"],
  [
    "a port on two addresses, for two services",
    on("Web", 8080, "one"),
    on("Admin", 8080, "two"),
    "both",
  ],
  [
    "two ports on an address, for two services",
    on("Web", 8080, "one"),
    on("Admin", 8443, "one"),
    "both",
  ],
  ["two ports on all", on("Web", 8080, "all"), on("Web", 8443, "all"), "both"],
];

/** The binding rules as test cases, for all code that decides which bindings are compatible. */
export const bindingPairs: readonly BindingPair[] = pairs.map(
  ([name, first, second, relation]) => ({
    name,
    first,
    second,
    relation,
  }),
);
