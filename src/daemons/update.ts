import { lockRecords } from "../database/locks.ts";
import { update } from "../http/verbs/update.ts";
import { daemonInput } from "./input.ts";
import { daemonResource } from "./model.ts";
import { boundForLife, foreignReferences, replaceDaemon, violations } from "./sql.ts";

/** PUT /api/v1/daemons/{id}: replaces the name, the path of the URL and the tags of a daemon. */
export const updateDaemon = update(daemonResource, {
  role: "Member",
  scope: "networks",
  body: daemonInput,
  errors: ["entity_reference_invalid"],
  violations,
  update: (_, id, daemon) => ({
    locks: [lockRecords({ tags: daemon.tags, daemons: [id] })],
    guards: [...foreignReferences(daemon), ...boundForLife(id, daemon)],
    write: (database) => replaceDaemon(database, id, daemon),
  }),
});
