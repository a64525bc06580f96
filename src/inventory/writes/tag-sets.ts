import type { MemberHistory } from "../../database/sets.ts";

/** The tags of a host. */
export const hostTags = {
  table: "host_tags",
  owner: "host_id",
  member: "tag_id",
  closed: "closed_host_tags",
} as const satisfies MemberHistory;

/** The tags of a service. */
export const serviceTags = {
  table: "service_tags",
  owner: "service_id",
  member: "tag_id",
  closed: "closed_service_tags",
} as const satisfies MemberHistory;

/** The tags of a subnet. */
export const subnetTags = {
  table: "subnet_tags",
  owner: "subnet_id",
  member: "tag_id",
  closed: "closed_subnet_tags",
} as const satisfies MemberHistory;
