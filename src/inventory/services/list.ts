import { eq, sql } from "drizzle-orm";
import { hasIdOf, isVersionOf, partsOf, versionsAs } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { services } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { filter, ids, searchFilter } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { portText } from "../port-text.ts";
import { containing, isAnyOf, withId } from "../search.ts";
import { serviceTags } from "../tag-sets.ts";
import { serviceResource } from "./model.ts";

/** GET /api/v1/services: the services of hosts with their bindings, live or as of an instant. */
export const listServices = list(serviceResource, {
  network_id: filter(id, (network) => eq(services.network_id, network)),
  ids: filter(ids, (wanted, at) => hasIdOf(services, wanted, at)),
  host_id: filter(id, (host, at) => partsOf(services, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  tag_ids: filter(ids, (wanted, at) =>
    isVersionOf(services, sql`in (${ownersOf(serviceTags, wanted, at)})`, at),
  ),
  port: filter(portText, ({ number, protocol }, at) =>
    isVersionOf(
      services,
      sql`in (select binding.service_id from ports as port
      join bindings as binding on binding.port_id = port.live_id and ${versionsAs("binding", at)}
      where port.number = ${number} and ${versionsAs("port", at)}${
        protocol === null ? sql`` : sql` and port.protocol = ${protocol}`
      })`,
      at,
    ),
  ),
  q: searchFilter((text, at) =>
    isAnyOf(services, [containing("services", text, at), ...withId(services, text, at)]),
  ),
});
