import { integerText } from "./integer.ts";

/** Where a page lies (API contract, section 4): `limit` 0 means everything. */
export const pageQuery = {
  limit: integerText(0, 1000).default(50),
  offset: integerText(0).default(0),
};
