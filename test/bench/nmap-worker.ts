import { readNmap } from "../../src/imports/nmap/nmap.ts";

/** Reads a body as nmap's XML, or on `/bytes` only its bytes: what the bench compares. */
const worker = {
  async fetch(request: Request): Promise<Response> {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (new URL(request.url).pathname === "/bytes") {
      return Response.json({ hosts: 0, ports: 0, bytes: bytes.length });
    }
    const { hosts } = readNmap(bytes);
    const ports = hosts.reduce((sum, host) => sum + host.ports.length, 0);
    return Response.json({ hosts: hosts.length, ports, bytes: bytes.length });
  },
};

// The Workers runtime insists on a default export.
export default worker;
