import { read } from "../../http/verbs/read.ts";
import { bindingResource } from "./model.ts";

/** GET /api/v1/bindings/{id}: one, live. */
export const readBinding = read(bindingResource);
