import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { root } from "./npm.ts";

/**
 * Sends the request in a printed `curl` line. The shell splits the line, as it would if the line
 * were pasted.
 */
export async function paste(line: string): Promise<Response> {
  const words = line.trim().replace(/^curl /, "printf '%s\\0' ");
  const { stdout } = await promisify(execFile)("sh", ["-c", words]);
  const { values, positionals } = parseArgs({
    args: stdout.split("\0").slice(0, -1),
    allowPositionals: true,
    options: {
      request: { type: "string", short: "X" },
      header: { type: "string", short: "H", multiple: true, default: [] },
      data: { type: "string", short: "d" },
      "data-binary": { type: "string" },
      silent: { type: "boolean", short: "s" },
      "show-error": { type: "boolean", short: "S" },
      fail: { type: "boolean", short: "f" },
    },
  });
  const [url = "", ...surplus] = positionals;
  if (surplus.length > 0) {
    throw new Error(`curl would take these for addresses too: ${surplus.join(" ")}`);
  }
  const file = values["data-binary"]?.replace(/^@/, "");
  const body = values.data ?? (file === undefined ? null : await readFile(join(root, file)));
  return fetch(url, {
    // As in curl, data makes the request a POST.
    method: values.request ?? (body === null ? "GET" : "POST"),
    headers: values.header.map((header): [string, string] => {
      const [name = "", value = ""] = header.split(/: */, 2);
      return [name, value];
    }),
    body,
  });
}
