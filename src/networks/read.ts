import { read } from "../http/verbs/read.ts";
import { networkResource } from "./model.ts";

/** GET /api/v1/networks/{id}: one network. */
export const readNetwork = read(networkResource);
