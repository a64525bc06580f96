const hex = (value: number) => value.toString(16).padStart(2, "0");

const start =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nmaprun>\n<nmaprun scanner="nmap" version="7.93" start="1776873600">\n<scaninfo type="syn" protocol="tcp" numservices="1000" services="1-1000"/>\n';
const end = '<runstats><finished time="1776873640" exit="success"/></runstats>\n</nmaprun>\n';

/** A service in an `nmap -sV` report. */
export const probed =
  '<service name="http" product="nginx" version="1.24.0" method="probed" conf="10"><cpe>cpe:/a:igor_sysoev:nginx:1.24.0</cpe></service>';
const port = (number: number, service: string) =>
  `<port protocol="tcp" portid="${number}"><state state="open" reason="syn-ack" reason_ttl="64"/>${service}</port>\n`;

/**
 * An nmap report with at most the given number of bytes and at most 5,000 hosts, each with the
 * given number of open ports.
 */
export function nmapFile(bytes: number, portsPerHost: number, service: string): string {
  const ports = Array.from({ length: portsPerHost }, (_, index) => port(index + 1, service)).join(
    "",
  );
  const host = (index: number) =>
    `<host starttime="1776873600" endtime="1776873640"><status state="up" reason="arp-response" reason_ttl="0"/>\n<address addr="10.0.${index >> 8}.${index & 255}" addrtype="ipv4"/>\n<address addr="02:00:00:00:${hex(index >> 8)}:${hex(index & 255)}" addrtype="mac"/>\n<hostnames>\n<hostname name="host-${index}.example" type="PTR"/>\n</hostnames>\n<ports>${ports}</ports>\n</host>\n`;
  const count = Math.min(Math.floor((bytes - start.length - end.length) / host(9999).length), 5000);
  return start + Array.from({ length: count }, (_, index) => host(index)).join("") + end;
}
