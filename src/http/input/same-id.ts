import { IssueList, validationFailed } from "../validation/issues.ts";

/**
 * Rejects a body whose id differs from the id in the path. A record can be sent back exactly as it
 * was read, but only to its own path (API contract, section 3).
 * @throws {ApiError} 400
 */
export function requireSameId(
  bodyId: string | undefined,
  id: string,
  message = "must be the id in the path, or be omitted",
): void {
  if (bodyId !== undefined && bodyId !== id) {
    throw validationFailed(IssueList.of({ path: "body.id", message, code: "custom" }));
  }
}
