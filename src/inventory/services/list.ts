import { eq, inArray, sql } from "drizzle-orm";
import { versionsAs } from "../../database/history.ts";
import { services } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { contains } from "../../http/list/search.ts";
import { portText } from "../port-text.ts";
import { serviceResource } from "./model.ts";

/** GET /api/v1/services: the services of hosts with their bindings, live or as of an instant. */
export const listServices = list(serviceResource, {
  network_id: filter(id, (network) => eq(services.network_id, network)),
  ids: filter(ids, (wanted) => inArray(services.live_id, wanted)),
  host_id: filter(id, (host) => eq(services.host_id, host)),
  tag_ids: filter(
    ids,
    (wanted) => sql`exists (
      select from service_tags as tagged where tagged.service_id = ${services.live_id}
        and tagged.tag_id = any (${sql.param(wanted)}::uuid[]))`,
  ),
  port: filter(
    portText,
    ({ number, protocol }, at) => sql`exists (
      select from bindings as binding join ports as port on port.live_id = binding.port_id
      where binding.service_id = ${services.live_id} and ${versionsAs("binding", at)}
        and ${versionsAs("port", at)} and port.number = ${number}
        and (${protocol}::text is null or port.protocol = ${protocol}))`,
  ),
  q: filter(searchText, (text) =>
    contains(text, services.live_id, [services.name, services.service_definition]),
  ),
});
