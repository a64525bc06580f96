/** The documentation for the `last_seen_at` filters. */
export const seenParameters = {
  last_seen_after: {
    description: "Only records last seen at this instant or later.",
    example: "2025-04-01T00:00:00Z",
  },
  last_seen_before: {
    description: "Only records last seen before this instant.",
    example: "2099-01-01T00:00:00Z",
  },
};

/** The documentation for the filters that all inventory lists have, except the list of bindings. */
export const inventoryFilters = (example: { id: string; network_id: string }) => ({
  network_id: { description: "Only records on this network.", example: example.network_id },
  ids: { description: "Only records with these ids, up to 350.", example: example.id },
  ...seenParameters,
  at: {
    description:
      "Lists the versions that were valid at this instant, instead of the live ones: ISO 8601 with an offset, a date, or a time before now such as `-24h`.",
    example: "2025-04-01T00:00:00Z",
  },
});

/** The documentation for the tag filter. The example is a tag from the demo data. */
export const tagFilter = {
  tag_ids: {
    description: "Only records with one of these tags.",
    example: "aed75b45-9130-4bef-8d61-1c2d0a47133c",
  },
};
