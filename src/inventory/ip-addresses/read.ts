import { read } from "../../http/verbs/read.ts";
import { ipAddressResource } from "./model.ts";

/** GET /api/v1/ip-addresses/{id}: one, live. */
export const readIPAddress = read(ipAddressResource);
