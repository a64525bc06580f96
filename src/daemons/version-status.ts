/** How a daemon's version relates to what the service speaks. */
export const versionStatuses = ["Current", "Outdated", "Unknown"] as const;

interface VersionStatus {
  version: string | null;
  status: (typeof versionStatuses)[number];
  warnings: string[];
}

/** The oldest version of daemons that speaks the protocol of the poller: major, minor, patch. */
const oldest = [0, 12, 0] as const;

/** The same, in the form that daemons are told. */
export const oldestVersion = oldest.join(".");

/**
 * Judges a version by its numbers (`0.14.2`, `v0.14.2-rc.1`). One that does not begin with three
 * numbers is unknown, as is none.
 */
export function versionStatus(version: string | null): VersionStatus {
  const [, ...parts] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?![\d.])/.exec(version ?? "") ?? [];
  if (parts.length === 0) {
    return { version, status: "Unknown", warnings: [] };
  }
  const difference = oldest
    .map((number, place) => Number(parts[place]) - number)
    .find((found) => found !== 0);
  return { version, status: (difference ?? 0) < 0 ? "Outdated" : "Current", warnings: [] };
}
