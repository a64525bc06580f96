import { type CreateOptions, createMany, createOne } from "../http/verbs/create.ts";
import { tagInput } from "./input.ts";
import { tagResource } from "./model.ts";
import { insertTags, namesRepeated, nameTaken, violations } from "./sql.ts";

const options: CreateOptions<typeof tagInput, never> = {
  role: "Admin",
  scope: "organization",
  body: tagInput,
  errors: [],
  violations,
  create: (_, tags, pathOf) => ({
    guards: [namesRepeated(tags, pathOf), nameTaken(tags, pathOf)],
    write: (database) => [insertTags(database, tags)],
  }),
};

/** POST /api/v1/tags: creates a tag. */
export const createTag = createOne(tagResource, options);

/** POST /api/v1/tags/bulk: creates 1 to 100 tags, all or nothing. */
export const createTags = createMany(tagResource, options);
