import { maximumNeighbors } from "../../src/database/tables/index.ts";
import type { GeneratedFunction } from "./text.ts";

interface Maximum {
  /** Completes the comment `Maximum number of …`. */
  of: string;
  type: "bigint" | "integer";
  value: number;
  /** True if a function that runs as the caller reads it. */
  isReadByCallers?: boolean;
}

/** The limits that functions read, by function. Each is a function, so that tests can replace it. */
const maximums: Readonly<Record<string, Maximum>> = {
  maximum_audit_entries_of_day: {
    of: "audit log entries that one organization can write in 24 hours by creating and changing records",
    type: "bigint",
    value: 1_000_000,
  },
  maximum_changes_of_histogram: {
    of: "changes that a histogram counts",
    type: "integer",
    value: 1_000_000,
    isReadByCallers: true,
  },
  maximum_of_host: {
    of: "live records of each kind on a host: addresses, ports, interfaces, neighbors, services and bindings",
    type: "integer",
    value: 5000,
    isReadByCallers: true,
  },
  maximum_neighbors_of_interface: {
    of: "live neighbors of an interface",
    type: "integer",
    value: maximumNeighbors,
    isReadByCallers: true,
  },
  maximum_tests_of_minute: {
    of: "tests per webhook within 60 seconds",
    type: "integer",
    value: 10,
  },
  maximum_tokens_of_key: {
    of: "valid tokens per key",
    type: "integer",
    value: 10_000,
  },
  // This limits the growth of the organization's history.
  maximum_versions_of_day: {
    of: "inventory record versions that one organization can start in 24 hours",
    type: "bigint",
    value: 1_000_000,
  },
  maximum_versions_of_diff: {
    of: "versions that a comparison of two instants may read",
    type: "integer",
    value: 1_000_000,
    isReadByCallers: true,
  },
};

/** The functions that return limits, which Postgres inlines. */
export const maximumFunctions: readonly GeneratedFunction[] = Object.entries(maximums).map(
  ([name, { of, type, value, isReadByCallers }]) => ({
    name,
    text: `\
-- Maximum number of ${of}.
create or replace function app.${name}() returns ${type}
language sql immutable parallel safe
return ${value};
${isReadByCallers ? `\ngrant execute on function app.${name} to inventory_api;\n` : ""}`,
  }),
);
