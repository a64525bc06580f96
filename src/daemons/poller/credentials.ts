import type { KeyRing } from "../../database/sealing.ts";

/** A credential of a scan, as the database has it. */
export interface ScanCredential extends Record<string, unknown> {
  id: string;
  /** The credential type as callers see it, secrets masked. */
  settings: Readonly<Record<string, unknown>>;
  /** What it masks, sealed, by field. */
  secrets: Readonly<Record<string, string>>;
  /** Whether it is tried on every address of the network. */
  is_default: boolean;
  /** The addresses of the hosts that it is assigned to. */
  addresses: string[];
}

/** At most so many credentials are handed to a daemon for one scan, and for so many addresses in all. */
export const credentialLimits = { credentials: 1000, addresses: 20_000 } as const;

/** A credential with its secrets open, as daemons take it. Goes into the one request, and nowhere else. */
type OpenCredential = Readonly<Record<string, unknown>>;

/** The part of a scan's work that holds secrets. */
interface CredentialMapping {
  default_credential: OpenCredential | null;
  ip_overrides: { ip: string; credential: OpenCredential; credential_id: string }[];
}

/** The types of credentials that a daemon of a version does not know. It refuses all of the work for one. */
export const unknownTypes = (version: string | null): string[] => {
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)\./.exec(version ?? "") ?? [];
  return Number(major) > 0 || Number(minor) >= 17 ? [] : ["SnmpV1"];
};

/**
 * Opens the credentials of a scan for the daemon that runs it: one mapping each.
 * @throws when a secret does not open
 */
export async function openCredentials(
  ring: KeyRing,
  organization_id: string,
  credentials: readonly ScanCredential[],
): Promise<CredentialMapping[]> {
  return Promise.all(
    credentials.map(async ({ id, settings, secrets, is_default, addresses }) => {
      const open = await openFields(settings, async (field) =>
        ring.open(secrets[field] ?? "", {
          record: "credential",
          organization_id,
          id,
          field,
        }),
      );
      const credential = queryOf(String(settings["type"]), open);
      return {
        default_credential: is_default ? credential : null,
        ip_overrides: addresses.map((ip) => ({ ip, credential, credential_id: id })),
      };
    }),
  );
}

const masked = "********";

/** Each field as daemons take it: what is inline as `Value`, with its secret open. */
async function openFields(
  settings: ScanCredential["settings"],
  openSecret: (field: string) => Promise<string>,
): Promise<Record<string, unknown>> {
  const fields = Object.entries(settings).filter(([field]) => field !== "type");
  const entries = fields.map(async ([field, value]): Promise<[string, unknown]> => {
    const { mode, value: inline } = Object(value);
    if (mode !== "Inline") {
      return [field, value];
    }
    return [field, { mode: "Value", value: inline === masked ? await openSecret(field) : inline }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The query of a daemon for a credential type. Daemons know three: SNMP is one, told apart by version. */
function queryOf(type: string, fields: Readonly<Record<string, unknown>>): OpenCredential {
  switch (type) {
    case "SnmpV1":
      return { type: "Snmp", version: "V1", ...fields };
    case "SnmpV2c":
      return { type: "Snmp", version: "V2c", ...fields };
    case "SnmpV3":
      // Daemons ask for a community whatever the version.
      return { type: "Snmp", version: "V3", community: { mode: "Value", value: "" }, ...fields };
    default:
      return { type, ...fields };
  }
}
