/** The roles that a key can have, from the least to the most powerful (API contract, section 2). */
export const roles = ["Viewer", "Member", "Admin", "Owner"] as const;
export type Role = (typeof roles)[number];
