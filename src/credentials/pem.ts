/** The PEM labels that credentials can contain (API contract, section 3). */
export type PemLabel = "CERTIFICATE" | "PRIVATE KEY" | "RSA PRIVATE KEY" | "EC PRIVATE KEY";

// Each character matches only one part of the pattern, so that hostile text cannot make matching
// slow.
const block = /^-----BEGIN ([A-Z ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----$/;

/**
 * True for PEM (RFC 7468): one or more consecutive blocks with the given labels, each containing a
 * DER sequence in base64.
 */
export function isPem(text: string, labels: readonly PemLabel[]): boolean {
  const blocks = text.trim().split(/(?<=-----END [A-Z ]{1,20}-----)\s+/);
  return blocks.every((candidate) => {
    const [, label, content] = block.exec(candidate) ?? [];
    return content !== undefined && labels.some((known) => known === label) && isDer(content);
  });
}

/** Every certificate and key is an ASN.1 sequence, so its DER starts with the tag 0x30. */
function isDer(base64: string): boolean {
  try {
    return atob(base64).charCodeAt(0) === 0x30;
  } catch {
    return false;
  }
}
