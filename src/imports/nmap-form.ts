import type { BodyForm } from "../http/body/json-body.ts";
import { readImport } from "./input.ts";
import { readNmap } from "./nmap/nmap.ts";
import { beginningOf, otherFormOf } from "./other-form.ts";

/** The message for a body that was sent as JSON but is in another format. */
function notJson(bytes: Uint8Array): string | undefined {
  const start = beginningOf(bytes);
  const other = otherFormOf(start);
  if (other !== undefined) {
    return `is ${other.is}. ${other.send}`;
  }
  return /^\s*</.test(start) || /^(\xff\xfe<\0|\xfe\xff\0<)/.test(start)
    ? "is XML: send it with the header Content-Type: application/xml"
    : undefined;
}

/** The XML of nmap and masscan (RFC 7303). */
export const nmapForm: BodyForm<typeof readImport> = {
  mediaTypes: ["application/xml", "text/xml"],
  read: readNmap,
  mistaken: notJson,
  schema: readImport,
};
