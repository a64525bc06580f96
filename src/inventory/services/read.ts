import { read } from "../../http/verbs/read.ts";
import { serviceResource } from "./model.ts";

/** GET /api/v1/services/{id}: one, live. */
export const readService = read(serviceResource);
