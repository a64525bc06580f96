import { eq } from "drizzle-orm";
import { discoverySessions, sessionPhases } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { filter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { reads } from "../../http/verbs/read.ts";
import { sessionResource } from "./model.ts";

/**
 * GET /api/v1/discovery/sessions: lists the scans on the key's networks (API contract, section 10).
 */
export const list = lists(sessionResource, {
  daemon_id: filter(id, (daemon) => eq(discoverySessions.daemon_id, daemon)),
  network_id: filter(id, (network) => eq(discoverySessions.network_id, network)),
  phase: filter(choice(sessionPhases), (phase) => eq(discoverySessions.phase, phase)),
});

/** GET /api/v1/discovery/sessions/{id}: returns one scan. */
export const read = reads(sessionResource);
