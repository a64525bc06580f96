import type { BodyForm } from "../http/body/json-body.ts";
import { readImport } from "./input.ts";
import { isForPeople, readNmap } from "./nmap/nmap.ts";

/** What was sent as JSON and is a report in another form. */
function notJson(text: string): string | undefined {
  if (isForPeople(text)) {
    return "is what nmap prints for people, which is not read: send what nmap -oX writes, as application/xml";
  }
  return /^\s*</.test(text)
    ? "is XML: send it with the header Content-Type: application/xml"
    : undefined;
}

/** What nmap, and masscan, write as XML (RFC 7303). */
export const nmapForm: BodyForm<typeof readImport> = {
  mediaTypes: ["application/xml", "text/xml"],
  read: readNmap,
  mistaken: notJson,
  schema: readImport,
};
