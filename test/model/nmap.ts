interface Port {
  number: number;
  protocol: string;
  service: { name: string; definition: string | null; version: string | null } | null;
}

interface Report {
  observed_at: string | null;
  hosts: readonly {
    hostname?: string;
    operating_system?: string;
    addresses: readonly { ip_address: string; mac_address: string | null }[];
    ports: readonly Port[];
  }[];
}

/**
 * The service is marked as `probed`. Its product is its definition, or its name if it has no
 * definition.
 */
const portOf = ({ number, protocol, service }: Port) => `
  <port protocol="${protocol.toLowerCase()}" portid="${number}"><state state="open" reason="syn-ack"/>${
    service
      ? `<service name="${service.name}" product="${service.definition ?? service.name}"
          ${service.version === null ? "" : `version="${service.version}"`} method="probed" conf="10"/>`
      : ""
  }</port>`;

/**
 * The time in seconds. Without `observed_at`, it is slightly in the future, as if nmap's clock were
 * fast; such a time is treated as the current time.
 */
const finishedAt = (observed_at: string | null) =>
  Math.floor((observed_at === null ? Date.now() + 20_000 : Date.parse(observed_at)) / 1000);

/** A report in nmap's XML format. Fields that nmap does not have are left out. */
export const nmapOf = ({ observed_at, hosts }: Report) => `<?xml version="1.0"?>
<nmaprun scanner="nmap" version="7.94" start="1700000000">
<scaninfo type="syn" protocol="tcp" services="1-65535"/>
${hosts
  .map(
    ({ hostname, operating_system, addresses, ports }) => `
<host><status state="up" reason="syn-ack"/>${addresses
      .map(({ ip_address }) => `<address addr="${ip_address}" addrtype="ipv4"/>`)
      .join("")}${addresses
      .flatMap(({ mac_address }) =>
        mac_address === null ? [] : [`<address addr="${mac_address}" addrtype="mac"/>`],
      )
      .join("")}
<hostnames>${hostname === undefined ? "" : `<hostname name="${hostname}" type="PTR"/>`}</hostnames>
<ports>${ports.map(portOf).join("")}</ports>
<os>${operating_system === undefined ? "" : `<osmatch name="${operating_system}" accuracy="96"/>`}</os></host>`,
  )
  .join("")}
<runstats><finished time="${finishedAt(observed_at)}" exit="success"/></runstats>
</nmaprun>`;
