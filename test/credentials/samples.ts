import { inline, sentSecret, updateOf } from "../helpers/credentials.ts";
import type { Samples } from "../helpers/operations.ts";

export const samples: Samples = {
  "PUT /api/v1/credentials/:id": ({ id }) =>
    updateOf(id, {
      name: "After",
      credential_type: { type: "SnmpV1", community: inline(sentSecret) },
    }),
};
