import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, partsOf, type Versions, versionsAs } from "../../database/history.ts";
import { interfaces } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer, integerText } from "../../http/input/integer.ts";
import { macAddress } from "../../http/input/network.ts";
import { filter, searchFilter } from "../../http/list/filter.ts";
import { inventoryFilters } from "../filters.ts";

const among = (condition: SQL, versions: Versions): SQL =>
  sql`${condition} and ${versionsAs(interfaces, versions)}`;

const isNumbered = (number: number, versions: Versions): SQL =>
  among(sql`${interfaces.if_index} = ${number}`, versions);

const hasMac = (mac: string, versions: Versions): SQL =>
  among(sql`${interfaces.mac_address} = ${mac}::macaddr`, versions);

/** The filters of lists of interfaces. */
export const interfaceFilters = {
  ...inventoryFilters(interfaces),
  host_id: filter(id, (host, versions) => partsOf(interfaces, "host_id", sql`${host}`, versions), {
    findsFirst: true,
  }),
  if_index: filter(integerText(1), isNumbered),
  mac: filter(macAddress, hasMac),
  q: searchFilter((text, versions) => {
    const parsedId = id.safeParse(text);
    if (parsedId.success) {
      return hasIdOf(interfaces, [parsedId.data], versions);
    }
    const mac = macAddress.safeParse(text);
    if (mac.success) {
      return hasMac(mac.data, versions);
    }
    const number = /^[1-9]\d*$/.test(text) ? integer(1).safeParse(Number(text)) : undefined;
    return number?.success
      ? isNumbered(number.data, versions)
      : // Case-sensitive: row-level security prevents `lower`, which may leak, from using an index.
        among(eq(interfaces.name, text), versions);
  }),
};
