import type { BodyForm } from "../http/body/json-body.ts";
import { readImport } from "./input.ts";
import { readNmap } from "./nmap/nmap.ts";

/** What nmap, and masscan, write as XML (RFC 7303). */
export const nmapForm: BodyForm<typeof readImport> = {
  mediaTypes: ["application/xml", "text/xml"],
  read: readNmap,
  schema: readImport,
};
