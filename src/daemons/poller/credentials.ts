import type { KeyRing } from "../../database/sealing.ts";
import { daemonTypes } from "../../discovery/credentials/types.ts";
import { isOlder } from "../version-status.ts";

/** A credential for a scan, as returned by `app.scan_credentials`. */
export interface ScanCredential extends Record<string, unknown> {
  id: string;
  /** The credential as the API returns it, with masked secrets. */
  settings: Readonly<Record<string, unknown>>;
  /** The sealed secrets by field. */
  secrets: Readonly<Record<string, string>>;
  /** True if it is tried on every address of the network. */
  is_default: boolean;
  /** The addresses of the hosts to which it is assigned. */
  addresses: string[];
  /** The MAC address of each of the addresses, if it is known. */
  mac_addresses: (string | null)[];
}

/** Maximum number of credentials per scan, and maximum total number of their addresses. */
export const credentialLimits = { credentials: 1000, addresses: 20_000 } as const;

/**
 * A credential with opened secrets, in the daemon's format. Exists only while the request that
 * contains it is being sent.
 */
type OpenCredential = Readonly<Record<string, unknown>>;

/** The part of a scan request that contains secrets. */
interface CredentialMapping {
  default_credential: OpenCredential | null;
  ip_overrides: {
    ip: string;
    credential: OpenCredential;
    credential_id: string;
    mac_address?: string;
  }[];
}

/**
 * Credential types that a daemon version does not support. If a scan includes such a credential,
 * the daemon rejects the scan.
 */
export const unknownTypes = (version: string | null): string[] =>
  [...daemonTypes.values()]
    .filter(({ minimumDaemon }) => isOlder(version, minimumDaemon))
    .map(({ name }) => name);

/**
 * Opens the credentials of a scan for the daemon that runs it. Returns one mapping per credential.
 * @throws if a secret cannot be opened
 */
export async function openCredentials(
  ring: KeyRing,
  organization_id: string,
  credentials: readonly ScanCredential[],
): Promise<CredentialMapping[]> {
  return Promise.all(
    credentials.map(async ({ id, settings, secrets, is_default, addresses, mac_addresses }) => {
      const open = await openFields(settings, async (field) =>
        ring.open(secrets[field] ?? "", {
          record: "credential",
          organization_id,
          id,
          field,
        }),
      );
      const type = String(settings["type"]);
      const credential = daemonTypes.get(type)?.query(open) ?? { type, ...open };
      return {
        default_credential: is_default ? credential : null,
        ip_overrides: addresses.map((ip, at) => ({
          ip,
          credential,
          credential_id: id,
          // For Wake-on-LAN. Daemons before 0.17.19 ignore it.
          ...(mac_addresses[at] && { mac_address: mac_addresses[at] }),
        })),
      };
    }),
  );
}

const masked = "********";

/**
 * Returns the fields in the daemon's format: mode `Inline` becomes `Value`, and the secret is
 * opened.
 */
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
