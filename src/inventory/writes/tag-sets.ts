import type { MemberHistory } from "../../database/sets.ts";

export const hostTags = {
  table: "host_tags",
  owner: "host_id",
  member: "tag_id",
  closed: "closed_host_tags",
} as const satisfies MemberHistory;

export const serviceTags = {
  table: "service_tags",
  owner: "service_id",
  member: "tag_id",
  closed: "closed_service_tags",
} as const satisfies MemberHistory;

export const subnetTags = {
  table: "subnet_tags",
  owner: "subnet_id",
  member: "tag_id",
  closed: "closed_subnet_tags",
} as const satisfies MemberHistory;
