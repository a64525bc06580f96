import { read } from "../http/verbs/read.ts";
import { daemonResource } from "./model.ts";

/** GET /api/v1/daemons/{id}: one daemon, with why and when it was last not reached. */
export const readDaemon = read(daemonResource);
