/**
 * A binding by natural keys. If `port` is null, it is to the address; if `address` is null, to all
 * addresses.
 */
export interface PairMember {
  service: "Web" | "Admin";
  port: 8080 | 8443 | null;
  address: "10.77.0.3" | "10.77.0.4" | null;
}

/**
 * The relation of two bindings on one host (API contract, section 9), in the order in which they
 * are written.
 *
 * - `both`: they are compatible.
 * - `conflict`: they are not compatible.
 * - `equal`: they are the same binding.
 * - `narrower` and `wider`: they bind one service and port, on one address and on all addresses.
 *   The second is the narrower or the wider one.
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
    "a port on an address, of two services",
    on("Web", 8080, "one"),
    on("Admin", 8080, "one"),
    "conflict",
  ],
  [
    "a port on all, then on one, of two services",
    on("Web", 8080, "all"),
    on("Admin", 8080, "one"),
    "conflict",
  ],
  [
    "a port on one, then on all, of two services",
    on("Web", 8080, "one"),
    on("Admin", 8080, "all"),
    "conflict",
  ],
  ["a port on all, of two services", on("Web", 8080, "all"), on("Admin", 8080, "all"), "conflict"],
  ["a port on an address, twice", on("Web", 8080, "one"), on("Web", 8080, "one"), "equal"],
  ["a port on all, twice", on("Web", 8080, "all"), on("Web", 8080, "all"), "equal"],
  ["a port on all, then on one", on("Web", 8080, "all"), on("Web", 8080, "one"), "narrower"],
  ["a port on one, then on all", on("Web", 8080, "one"), on("Web", 8080, "all"), "wider"],
  ["an address, and a port on another one", on("Web", null, "one"), on("Web", 8080, "two"), "both"],
  ["two addresses", on("Web", null, "one"), on("Web", null, "two"), "both"],
  ["an address, of two services", on("Web", null, "one"), on("Admin", null, "one"), "both"],
  [
    "an address, and a port on it, of two services",
    on("Web", null, "one"),
    on("Admin", 8080, "one"),
    "both",
  ],
  ["a port on two addresses", on("Web", 8080, "one"), on("Web", 8080, "two"), "both"],
  [
    "a port on two addresses, of two services",
    on("Web", 8080, "one"),
    on("Admin", 8080, "two"),
    "both",
  ],
  [
    "two ports on an address, of two services",
    on("Web", 8080, "one"),
    on("Admin", 8443, "one"),
    "both",
  ],
  ["two ports on all", on("Web", 8080, "all"), on("Web", 8443, "all"), "both"],
];

/** The rules of bindings as test cases, for all code that decides which bindings are compatible. */
export const bindingPairs: readonly BindingPair[] = pairs.map(
  ([name, first, second, relation]) => ({
    name,
    first,
    second,
    relation,
  }),
);
