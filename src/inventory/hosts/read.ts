import { read } from "../../http/verbs/read.ts";
import { hostResource } from "./model.ts";

/** GET /api/v1/hosts/{id}: one host with all that it carries. */
export const readHost = read(hostResource);
