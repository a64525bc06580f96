import { read } from "../http/verbs/read.ts";
import { apiKeyResource } from "./model.ts";

/** GET /api/v1/auth/keys/{id}: one API key, without the key itself. */
export const readApiKey = read(apiKeyResource);
