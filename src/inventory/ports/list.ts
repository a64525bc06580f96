import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, type Instant, partsOf, versionsAs } from "../../database/history.ts";
import { ports, transportProtocols } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { filter, ids, searchFilter } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { portResource } from "./model.ts";

const isNumbered = (number: number, at: Instant | undefined): SQL =>
  sql`${ports.number} = ${number} and ${versionsAs(ports, at)}`;

/** GET /api/v1/ports: the ports of hosts, live or as of an instant. */
export const listPorts = list(portResource, {
  network_id: filter(id, (network) => eq(ports.network_id, network)),
  ids: filter(ids, (wanted, at) => hasIdOf(ports, wanted, at)),
  host_id: filter(id, (host, at) => partsOf(ports, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  number: filter(integerText(1, 65_535), isNumbered),
  protocol: filter(choice(transportProtocols), (protocol) => eq(ports.protocol, protocol)),
  q: searchFilter((text, at) => {
    const { data, success } = id.safeParse(text);
    if (success) {
      return hasIdOf(ports, [data], at);
    }
    return /^[1-9]\d{0,4}$/.test(text) ? isNumbered(Number(text), at) : sql`false`;
  }),
});
