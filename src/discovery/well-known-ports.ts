import type { transportProtocols } from "../database/tables/index.ts";

export type Protocol = (typeof transportProtocols)[number];

/** Well-known port names, by number and protocol. */
const names: Readonly<Record<string, string>> = {
  "21/Tcp": "Ftp",
  "22/Tcp": "Ssh",
  "23/Tcp": "Telnet",
  "53/Tcp": "DnsTcp",
  "53/Udp": "DnsUdp",
  "67/Udp": "Dhcp",
  "80/Tcp": "Http",
  "88/Tcp": "Kerberos",
  "123/Udp": "Ntp",
  "161/Udp": "Snmp",
  "389/Tcp": "Ldap",
  "443/Tcp": "Https",
  "445/Tcp": "Samba",
  "502/Tcp": "ModbusTcp",
  "515/Tcp": "LdpTcp",
  "515/Udp": "LdpUdp",
  "554/Tcp": "Rtsp",
  "631/Tcp": "Ipp",
  "636/Tcp": "Ldaps",
  "1161/Udp": "SnmpAlt",
  "1194/Udp": "OpenVPN",
  "1433/Tcp": "MsSql",
  "1883/Tcp": "Mqtt",
  "2049/Tcp": "Nfs",
  "2375/Tcp": "Docker",
  "2376/Tcp": "DockerTls",
  "3000/Tcp": "Http3000",
  "3306/Tcp": "MySql",
  "3389/Tcp": "Rdp",
  "4840/Tcp": "OpcUa",
  "5000/Tcp": "Http5000",
  "5060/Tcp": "Sip",
  "5061/Tcp": "SipTls",
  "5432/Tcp": "PostgreSQL",
  "5671/Tcp": "AMQPTls",
  "5672/Tcp": "AMQP",
  "5984/Tcp": "CouchDb",
  "6379/Tcp": "Redis",
  "6443/Tcp": "Kubernetes",
  "8080/Tcp": "Http8080",
  "8081/Tcp": "Http8081",
  "8082/Tcp": "Http8082",
  "8086/Tcp": "InfluxDb",
  "8443/Tcp": "Https8443",
  "8883/Tcp": "MqttTls",
  "8888/Tcp": "Http8888",
  "9000/Tcp": "Http9000",
  "9042/Tcp": "Cassandra",
  "9092/Tcp": "Kafka",
  "9100/Tcp": "JetDirect",
  "9200/Tcp": "Elasticsearch",
  "9443/Tcp": "Https9443",
  "10443/Tcp": "Https10443",
  "15672/Tcp": "RabbitMqMgmt",
  "27017/Tcp": "MongoDB",
  "44818/Tcp": "EtherNetIp",
  "47808/Udp": "BACnet",
  "51820/Udp": "Wireguard",
};

/** Every well-known port name. */
export const portTypes: readonly string[] = [...new Set(Object.values(names))];

/** Returns the well-known name of a port, such as `Https`, or null if it has none. */
export const wellKnownName = (number: number, protocol: Protocol): string | null =>
  names[`${number}/${protocol}`] ?? null;

/** The type of a port in responses: its well-known name, or else `Custom`. */
export const portType = (number: number, protocol: Protocol): string =>
  wellKnownName(number, protocol) ?? "Custom";
