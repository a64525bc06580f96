import { IssueList, validationFailed } from "../validation/issues.ts";

/**
 * Refuses a body that carries another id than the path. What was read can be sent back as it is,
 * but not to another place (API contract, section 3).
 * @throws {ApiError} 400
 */
export function requireSameId(sentId: string | undefined, id: string): void {
  if (sentId !== undefined && sentId !== id) {
    const message = "must be the id in the path, or be left out";
    throw validationFailed(IssueList.of({ path: "body.id", message, code: "custom" }));
  }
}
