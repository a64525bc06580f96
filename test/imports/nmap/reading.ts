import { ApiError } from "../../../src/errors/errors.ts";
import { readNmap } from "../../../src/imports/nmap/nmap.ts";
import type { NmapReport } from "../../../src/imports/nmap/nmap-report.ts";

const files = import.meta.glob<string>("./reports/*.xml", {
  eager: true,
  import: "default",
  query: "?raw",
});

/**
 * Reports by name: the output of Debian's nmap for listeners on loopback, with changed addresses.
 */
export const reports: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).map(([path, text]) => [path.replace(/^.*\/|\.xml$/g, ""), text]),
);

export function report(name: string): string {
  const text = reports[name];
  if (text === undefined) {
    throw new Error(`There is no report ${name}.`);
  }
  return text;
}

export const read = (text: string) => readNmap(new TextEncoder().encode(text));

/**
 * Reads a report, or returns the error for a malformed one; throws any other error of the reader.
 */
export function tryRead(bytes: Uint8Array): NmapReport | ApiError<"request_malformed_xml"> {
  try {
    return readNmap(bytes);
  } catch (error) {
    if (isMalformed(error)) {
      return error;
    }
    throw error;
  }
}

/** The line and the problem in a rejected report. */
export function refusal(report: string | Uint8Array): { line: number; problem: string } {
  const bytes = typeof report === "string" ? new TextEncoder().encode(report) : report;
  const result = tryRead(bytes);
  if (result instanceof ApiError) {
    return result.params;
  }
  throw new Error("The report was accepted.");
}

const isMalformed = (error: unknown): error is ApiError<"request_malformed_xml"> =>
  error instanceof ApiError && error.code === "request_malformed_xml";

/** A probed service, by default with its name as the definition, and without a version. */
export const probed = (name: string, definition = name, version: string | null = null) => ({
  name,
  definition,
  version,
  is_guess: false,
  is_of_port: true,
});

/** A service that is guessed from the port number. */
export const guessed = (name: string) => ({ ...probed(name), is_guess: true });

const end = '<runstats><finished time="1776873640"/></runstats></nmaprun>';

/** A report with the given elements inside `nmaprun`. */
export const reportOf = (elements: string) =>
  `<nmaprun scanner="nmap" version="7.93" start="1776873600">${elements}${end}`;

/** A host that is up. */
export const hostOf = (address: string, elements = "") =>
  `<host><status state="up" reason="syn-ack"/><address addr="${address}" addrtype="ipv4"/>${elements}</host>`;
