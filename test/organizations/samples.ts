import type { Samples } from "../helpers/operations.ts";

export const samples: Samples = {
  "PUT /api/v1/organizations/:id": () => "After",
};
