/** The creation time of the demo organization. */
export const demoStart = "2022-09-01T08:00:00.000Z";

/** The time of the last discovery by its daemons. */
export const lastSeen = "2025-09-14T21:47:05.310Z";

/**
 * The time since the last sighting of the inventory when the demo data is added, in milliseconds.
 */
export const recently = 3_600_000;
