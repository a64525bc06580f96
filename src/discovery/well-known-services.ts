import { type Protocol, portTypes, wellKnownName } from "./well-known-ports.ts";

/**
 * The service names that differ from the type of their port. A name is the definition of the
 * discovery daemons, if they have one, so that a service has the same name in every report. They
 * have none for a plain web server, for example.
 */
const renamed: Readonly<Record<string, string>> = {
  AMQPTls: "AMQP",
  CouchDb: "CouchDB",
  Dhcp: "DHCP Server",
  DnsTcp: "DNS Server",
  DnsUdp: "DNS Server",
  DockerTls: "Docker",
  EtherNetIp: "EtherNet/IP",
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
  ModbusTcp: "Modbus",
  MqttTls: "MQTT",
  MsSql: "Microsoft SQL Server",
  MySql: "MySQL",
  Nfs: "NFS",
  Ntp: "NTP Server",
  OpcUa: "OPC UA",
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

/** Well-known names by their lowercase spelling: service names and port types. */
const spellings: ReadonlyMap<string, string> = new Map(
  portTypes.flatMap((type) => {
    const name = nameOf(type);
    return [type, name].map((spelling) => [spelling.toLowerCase(), name] as const);
  }),
);

/** Returns the well-known service of a port, such as `DNS Server`, or null if there is none. */
export function wellKnownService(number: number, protocol: Protocol): string | null {
  const type = wellKnownName(number, protocol);
  return type === null ? null : nameOf(type);
}

/** True for the name of a well-known service, ignoring case. */
export const isWellKnown = (name: string): boolean => spellings.has(name.toLowerCase());

/** Returns the standard spelling of a well-known service. Other names are returned unchanged. */
export const wellKnownSpelling = (name: string): string =>
  spellings.get(name.toLowerCase()) ?? name;
