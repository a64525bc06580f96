import { read } from "../../http/verbs/read.ts";
import { portResource } from "./model.ts";

/** GET /api/v1/ports/{id}: one, live. */
export const readPort = read(portResource);
