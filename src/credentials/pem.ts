/** The kinds of PEM that credentials hold (API contract, section 3). */
export type PemLabel = "CERTIFICATE" | "PRIVATE KEY" | "RSA PRIVATE KEY" | "EC PRIVATE KEY";

// Each character fits one part only, so that hostile text cannot make the match take long.
const block = /^-----BEGIN ([A-Z ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----$/;

/**
 * Whether a text is PEM (RFC 7468): one block, or several in a row, of the given labels, nothing
 * between them, each holding base64 of a DER sequence.
 */
export function isPem(text: string, labels: readonly PemLabel[]): boolean {
  const blocks = text.trim().split(/(?<=-----END [A-Z ]{1,20}-----)\s+/);
  return blocks.every((candidate) => {
    const [, label, content] = block.exec(candidate) ?? [];
    return content !== undefined && labels.some((known) => known === label) && isDer(content);
  });
}

/** Every certificate and key is an ASN.1 sequence, so its DER begins with the tag 0x30. */
function isDer(base64: string): boolean {
  try {
    return atob(base64).charCodeAt(0) === 0x30;
  } catch {
    return false;
  }
}
