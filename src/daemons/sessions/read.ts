import { read } from "../../http/verbs/read.ts";
import { sessionResource } from "./model.ts";

/** GET /api/v1/discovery/sessions/{id}: one scan, as far as it is. */
export const readSession = read(sessionResource);
