import { type Protocol, portTypes, wellKnownName } from "./well-known-ports.ts";

/**
 * The names of services that differ from the type of their port. They are the definitions of the
 * discovery daemons, so that a service is the same in every report. The daemons have no definition for a
 * plain web server.
 */
const renamed: Readonly<Record<string, string>> = {
  AMQPTls: "AMQP",
  CouchDb: "CouchDB",
  Dhcp: "DHCP Server",
  DnsTcp: "DNS Server",
  DnsUdp: "DNS Server",
  DockerTls: "Docker",
  Ftp: "FTP Server",
  Http: "HTTP",
  Http3000: "HTTP",
  Http5000: "HTTP",
  Http8080: "HTTP",
  Http8081: "HTTP",
  Http8082: "HTTP",
  Http8888: "HTTP",
  Http9000: "HTTP",
  Https: "HTTPS",
  Https10443: "HTTPS",
  Https8443: "HTTPS",
  Https9443: "HTTPS",
  InfluxDb: "InfluxDB",
  Ipp: "Print Server",
  Ldap: "Open LDAP",
  Ldaps: "Open LDAP",
  LdpTcp: "Print Server",
  LdpUdp: "Print Server",
  Mqtt: "MQTT",
  MqttTls: "MQTT",
  MsSql: "Microsoft SQL Server",
  MySql: "MySQL",
  Nfs: "NFS",
  Ntp: "NTP Server",
  RabbitMqMgmt: "RabbitMQ",
  Rdp: "Remote Desktop",
  Rtsp: "RTSP Camera",
  Sip: "SIP Server",
  SipTls: "SIP Server",
  Snmp: "SNMP",
  SnmpAlt: "SNMP",
  Ssh: "SSH",
  Wireguard: "WireGuard",
};

const nameOf = (type: string) => renamed[type] ?? type;

/** Well-known names by lower-case spelling: the names themselves, and the types of ports. */
const spellings: ReadonlyMap<string, string> = new Map(
  portTypes.flatMap((type) => {
    const name = nameOf(type);
    return [type, name].map((spelling) => [spelling.toLowerCase(), name] as const);
  }),
);

/** The well-known service of a port, such as `DNS Server`; null if the port is known for none. */
export function wellKnownService(number: number, protocol: Protocol): string | null {
  const type = wellKnownName(number, protocol);
  return type === null ? null : nameOf(type);
}

/** True if a name is that of a well-known service, in any spelling. */
export const isWellKnown = (name: string): boolean => spellings.has(name.toLowerCase());

/** The standard spelling of a well-known service. Other names are returned unchanged. */
export const wellKnownSpelling = (name: string): string =>
  spellings.get(name.toLowerCase()) ?? name;
