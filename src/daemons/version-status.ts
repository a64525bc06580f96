/** The support status of a daemon's version. */
export const versionStatuses = ["Current", "Outdated", "Unknown"] as const;

interface VersionStatus {
  version: string | null;
  status: (typeof versionStatuses)[number];
  warnings: string[];
}

/** The oldest daemon version that supports the poller's protocol: major, minor, patch. */
const oldest = [0, 12, 0] as const;

/** {@link oldest} as text. */
export const oldestVersion = oldest.join(".");

/**
 * Returns the status of a version based on its three numbers (`0.14.2`, `v0.14.2-rc.1`): `Unknown`
 * if the version is missing or does not start with three numbers.
 */
export function versionStatus(version: string | null): VersionStatus {
  const [, ...parts] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?![\d.])/.exec(version ?? "") ?? [];
  if (parts.length === 0) {
    return { version, status: "Unknown", warnings: [] };
  }
  const difference = oldest
    .map((number, position) => Number(parts[position]) - number)
    .find((one) => one !== 0);
  return { version, status: (difference ?? 0) < 0 ? "Outdated" : "Current", warnings: [] };
}
