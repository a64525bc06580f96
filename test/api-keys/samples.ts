import type { Samples } from "../helpers/operations.ts";

const key = () => ({ name: "After", permissions: "Member" });

export const samples: Samples = {
  "POST /api/v1/auth/keys": key,
  "POST /api/v1/auth/keys/bulk": () => [key(), key()],
  "POST /api/v1/auth/keys/bulk-delete": ({ records }) => [records["auth/keys"]],
  "PUT /api/v1/auth/keys/:id": key,
  "POST /api/v1/auth/keys/:id/rotate": () => ({ overlap_seconds: 60 }),
};
