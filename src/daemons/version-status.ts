/** The support status of a daemon's version. */
export const versionStatuses = ["Current", "Outdated", "Unknown"] as const;

interface VersionStatus {
  version: string | null;
  status: (typeof versionStatuses)[number];
  warnings: string[];
}

/** Major, minor and patch. */
type Version = readonly [major: number, minor: number, patch: number];

/** The oldest daemon version that supports the poller's protocol. */
const oldest: Version = [0, 12, 0];

/** {@link oldest} as text. */
export const oldestVersion = oldest.join(".");

/** The numbers at the start of a version such as `0.14.2` or `v0.14.2-rc.1`; null if there are none. */
const numbersOf = (version: string | null): number[] | null => {
  const [, ...parts] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?![\d.])/.exec(version ?? "") ?? [];
  return parts.length === 0 ? null : parts.map(Number);
};

const precedes = (numbers: readonly number[], other: Version): boolean =>
  (other.map((number, at) => (numbers[at] ?? 0) - number).find((one) => one !== 0) ?? 0) < 0;

/** True if a daemon's version is older than another one. A missing version is older than any. */
export const isOlder = (version: string | null, than: Version): boolean =>
  precedes(numbersOf(version) ?? [0, 0, 0], than);

/**
 * Returns the status of a version based on its three numbers (`0.14.2`, `v0.14.2-rc.1`): `Unknown`
 * if the version is missing or does not start with three numbers.
 */
export function versionStatus(version: string | null): VersionStatus {
  const numbers = numbersOf(version);
  const status = numbers === null ? "Unknown" : precedes(numbers, oldest) ? "Outdated" : "Current";
  return { version, status, warnings: [] };
}
