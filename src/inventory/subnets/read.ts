import { read } from "../../http/verbs/read.ts";
import { subnetResource } from "./model.ts";

/** GET /api/v1/subnets/{id}: one, live. */
export const readSubnet = read(subnetResource);
