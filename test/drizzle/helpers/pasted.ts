import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";

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
    },
  });
  const [url = "", ...surplus] = positionals;
  if (surplus.length > 0) {
    throw new Error(`curl would take these for addresses too: ${surplus.join(" ")}`);
  }
  return fetch(url, {
    // As in curl, data makes the request a POST.
    method: values.request ?? (values.data === undefined ? "GET" : "POST"),
    headers: values.header.map((header): [string, string] => {
      const [name = "", value = ""] = header.split(/: */, 2);
      return [name, value];
    }),
    body: values.data ?? null,
  });
}
