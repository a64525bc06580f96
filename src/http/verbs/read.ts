import * as z from "zod";
import type { Columns } from "../../database/collection.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { found } from "../found.ts";
import { ifNoneMatch } from "../input/entity-tag.ts";
import { recordPath } from "../input/id.ts";
import { validate } from "../validation/validate.ts";
import { type RecordRow, type Resource, shownRecord } from "./resource.ts";
import { respondRecord } from "./respond-record.ts";

export const readHeader = z.object({ "if-none-match": ifNoneMatch });

/**
 * The handlers that read one record. They respond with 200 and its entity tag, or with 304 (API
 * contract, section 7).
 */
export const reads = <Read extends Columns, Item>(resource: Resource<Read, Item>) =>
  factory.createHandlers(
    authenticate("Viewer"),
    validate(
      { param: recordPath, header: readHeader },
      {
        elsewhere: {
          query: Object.fromEntries(
            Object.keys(resource.variantQuery ?? {}).map((name) => [
              name,
              `is a parameter of the list: for one record, use GET ${resource.path}?ids={id}&${name}=…`,
            ]),
          ),
        },
      },
    ),
    handles({
      verb: { name: "read", path: resource.path },
      errors: ["entity_not_found"],
      responses: { 200: ["ETag"], 304: ["ETag"] },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const isKnown = c.req.valid("header")["if-none-match"];
      const [{ rows }] = await c.var.tenant.run((database) => [
        database.execute<RecordRow>(shownRecord(resource, id)),
      ]);
      const row = found(rows, resource.entity, id);
      if (isKnown?.(row.etag)) {
        c.header("ETag", row.etag);
        return c.body(null, 304);
      }
      return respondRecord(c, resource, row, { id, isWritten: false });
    },
  );
