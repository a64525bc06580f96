import { type SQL, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { apiKeyResource } from "../../src/api-keys/model.ts";
import { credentialResource } from "../../src/credentials/model.ts";
import { daemonResource } from "../../src/daemons/model.ts";
import { orderTerm } from "../../src/http/input/order.ts";
import { bindingResource } from "../../src/inventory/bindings/model.ts";
import { hostResource } from "../../src/inventory/hosts/model.ts";
import { interfaceResource } from "../../src/inventory/interfaces/model.ts";
import { ipAddressResource } from "../../src/inventory/ip-addresses/model.ts";
import { neighborResource } from "../../src/inventory/neighbors/model.ts";
import { portResource } from "../../src/inventory/ports/model.ts";
import { serviceResource } from "../../src/inventory/services/model.ts";
import { subnetResource } from "../../src/inventory/subnets/model.ts";
import { networkResource } from "../../src/networks/model.ts";
import { tagResource } from "../../src/tags/model.ts";
import { database } from "../helpers/database.ts";

const resources = {
  "auth/keys": apiKeyResource,
  credentials: credentialResource,
  daemons: daemonResource,
  bindings: bindingResource,
  hosts: hostResource,
  "ip-addresses": ipAddressResource,
  ports: portResource,
  interfaces: interfaceResource,
  neighbors: neighborResource,
  services: serviceResource,
  subnets: subnetResource,
  networks: networkResource,
  tags: tagResource,
};

const fields = Object.entries(resources).flatMap(([name, { table, orderFields }]) =>
  Object.entries(orderFields).map(([field, column]) => ({
    name,
    field,
    table,
    column: orderTerm(column, { kind: "live" }),
  })),
);

test.each(fields)(
  "$name are sorted by code point when ordered by $field",
  async ({ table, column }) => {
    const read = async (expression: SQL) => {
      const { rows } = await database.execute(sql`
      select ${expression} as value from (values (1)) as one left join ${table} on false`);
      return rows[0]?.["value"];
    };
    // Only text columns have a collation.
    if ((await read(sql`pg_typeof(${column})::text`)) === "text") {
      expect(await read(sql`pg_collation_for(${column})`)).toBe('"C"');
    }
  },
);
