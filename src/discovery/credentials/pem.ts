/** The PEM labels that credentials can contain (API contract, section 3). */
export type PemLabel =
  | "CERTIFICATE"
  | "PRIVATE KEY"
  | "RSA PRIVATE KEY"
  | "EC PRIVATE KEY"
  | "OPENSSH PRIVATE KEY";

// Each character matches only one part of the pattern, so that hostile text cannot make matching
// slow.
const block = /^-----BEGIN ([A-Z ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----$/;

/**
 * True for PEM (RFC 7468): one or more consecutive blocks with the given labels, each containing a
 * DER sequence, or an OpenSSH key, in base64.
 */
export function isPem(text: string, labels: readonly PemLabel[]): boolean {
  const blocks = text.trim().split(/(?<=-----END [A-Z ]{1,20}-----)\s+/);
  return blocks.every((candidate) => {
    const [, found, base64] = block.exec(candidate) ?? [];
    const label = labels.find((known) => known === found);
    return label !== undefined && base64 !== undefined && startsAs(label, base64);
  });
}

/** The first bytes of an OpenSSH key (PROTOCOL.key of OpenSSH). */
const openSshMagic = "openssh-key-v1\0";

/** Every certificate and every other key is an ASN.1 sequence, so its DER starts with the tag 0x30. */
function startsAs(label: PemLabel, base64: string): boolean {
  try {
    return atob(base64).startsWith(label === "OPENSSH PRIVATE KEY" ? openSshMagic : "\x30");
  } catch {
    return false;
  }
}
