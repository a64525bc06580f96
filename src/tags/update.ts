import { update } from "../http/verbs/update.ts";
import { tagInput } from "./input.ts";
import { tagResource } from "./model.ts";
import { nameTaken, replaceTag, violations } from "./sql.ts";

/** PUT /api/v1/tags/{id}: replaces a tag as a whole. */
export const updateTag = update(tagResource, {
  role: "Admin",
  scope: "organization",
  body: tagInput,
  errors: ["entity_already_exists"],
  violations,
  update: (_, id, tag) => ({
    guards: [nameTaken([{ id, name: tag.name }], () => "body.")],
    write: (database) => [replaceTag(database, id, tag)],
  }),
});
