import { deleteMany, deleteOne, noQuery } from "../http/verbs/delete.ts";
import { tagResource } from "./model.ts";
import { deletionLocks } from "./sql.ts";

const options = {
  role: "Admin",
  scope: "organization",
  errors: [],
  locks: deletionLocks,
} as const;

/** DELETE /api/v1/tags/{id}: deletes a tag, and takes it off every record. */
export const deleteTag = deleteOne(tagResource, { ...options, query: noQuery });

/** POST /api/v1/tags/bulk-delete: deletes up to 1,000 tags, all or nothing. */
export const deleteTags = deleteMany(tagResource, options);
