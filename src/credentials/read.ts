import { read } from "../http/verbs/read.ts";
import { credentialResource } from "./model.ts";

/** GET /api/v1/credentials/{id}: one credential, its secrets masked. */
export const readCredential = read(credentialResource);
