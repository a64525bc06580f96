/** When the demo organization was created. */
export const demoStart = "2022-09-01T08:00:00.000Z";

/** When its daemons last ran a discovery. */
export const lastSeen = "2025-09-14T21:47:05.310Z";
