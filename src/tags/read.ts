import { read } from "../http/verbs/read.ts";
import { tagResource } from "./model.ts";

/** GET /api/v1/tags/{id}: one tag. */
export const readTag = read(tagResource);
