import { eq, inArray, sql } from "drizzle-orm";
import { ports, transportProtocols } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { contains } from "../../http/list/search.ts";
import { portResource } from "./model.ts";

/** GET /api/v1/ports: the ports of hosts, live or as of an instant. */
export const listPorts = list(portResource, {
  network_id: filter(id, (network) => eq(ports.network_id, network)),
  ids: filter(ids, (wanted) => inArray(ports.live_id, wanted)),
  host_id: filter(id, (host) => eq(ports.host_id, host)),
  number: filter(integerText(1, 65_535), (number) => eq(ports.number, number)),
  protocol: filter(choice(transportProtocols), (protocol) => eq(ports.protocol, protocol)),
  q: filter(searchText, (text) => contains(text, ports.live_id, [sql`${ports.number}::text`])),
});
