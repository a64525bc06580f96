import { ApiError } from "../errors/errors.ts";

/**
 * Returns the first row, or fails with 404 if there is none.
 * @param entity the singular name of the resource
 * @throws {ApiError} 404
 */
export function found<Row>(rows: readonly Row[], entity: string, id: string): Row {
  const [row] = rows;
  if (row === undefined) {
    throw new ApiError("entity_not_found", { entity, id });
  }
  return row;
}
