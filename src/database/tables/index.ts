export * from "./api-keys.ts";
export * from "./bindings.ts";
export * from "./credentials.ts";
export * from "./daemons.ts";
export * from "./idempotency.ts";
export * from "./inventory.ts";
export * from "./organizations.ts";
