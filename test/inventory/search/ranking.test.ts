import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { searchResultSchema } from "../../../src/inventory/search/model.ts";
import { openApi } from "../../helpers/api.ts";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";

/** The hosts of a home: name, last octet of the address, fields, and services by port. */
const home: [string, number, Record<string, string>, [string, number][]][] = [
  [
    "router",
    1,
    { operating_system: "OpenWrt 23.05" },
    [
      ["DNS", 53],
      ["LuCI", 80],
      ["SSH", 22],
    ],
  ],
  ["switch-attic", 2, { manufacturer: "Zyxel", sys_name: "GS1900" }, [["Switch UI", 80]]],
  ["switch-cellar", 3, { sys_name: "GS1200" }, [["Switch UI", 80]]],
  [
    "nas",
    10,
    { hostname: "nas.home.example", operating_system: "TrueNAS 24.04" },
    [
      ["Samba", 445],
      ["NFS", 2049],
      ["TrueNAS", 443],
    ],
  ],
  [
    "nas-backup",
    11,
    { operating_system: "Debian 12" },
    [
      ["Samba", 445],
      ["SSH", 22],
    ],
  ],
  [
    "garden",
    12,
    { operating_system: "Raspberry Pi OS" },
    [
      ["WeeWX", 8080],
      ["SSH", 22],
    ],
  ],
  ["weather display", 13, {}, [["Kiosk", 8080]]],
  [
    "pihole",
    14,
    { hostname: "dns.home.example" },
    [
      ["Pi-hole", 80],
      ["DNS", 53],
    ],
  ],
  [
    "Home Assistant",
    15,
    { operating_system: "Home Assistant OS 12" },
    [
      ["Home Assistant", 8123],
      ["Mosquitto", 1883],
    ],
  ],
  [
    "media",
    16,
    { operating_system: "Ubuntu 24.04" },
    [
      ["Jellyfin", 8096],
      ["SSH", 22],
    ],
  ],
  [
    "git",
    17,
    { operating_system: "Debian 12" },
    [
      ["Forgejo", 3000],
      ["SSH", 2222],
    ],
  ],
  [
    "web1",
    18,
    { operating_system: "Debian 12" },
    [
      ["Nginx", 443],
      ["Redis", 6379],
    ],
  ],
  ["web2", 19, { operating_system: "Debian 11" }, [["Nginx", 443]]],
  ["web-old", 20, { operating_system: "Debian 9" }, [["Apache", 80]]],
  ["database", 21, { operating_system: "Debian 12" }, [["PostgreSQL", 5432]]],
  ["printer", 30, { manufacturer: "Brother" }, [["IPP", 631]]],
  ["label printer", 31, {}, [["JetDirect", 9100]]],
  ["camera-door", 40, {}, [["RTSP", 554]]],
  ["camera-garden", 41, {}, [["RTSP", 554]]],
  ["doorbell", 42, {}, [["RTSP", 8554]]],
  ["tv", 43, { hostname: "bravia.home.example" }, []],
  ["phone-anna", 50, { operating_system: "Android 15" }, []],
  ["phone-bob", 51, { operating_system: "iOS 18" }, []],
  ["laptop-anna", 52, { operating_system: "Windows 11" }, [["RDP", 3389]]],
  ["laptop-bob", 53, { operating_system: "macOS 15" }, [["VNC", 5900]]],
  ["Büro-PC", 54, { operating_system: "Windows 11" }, [["RDP", 3389]]],
  ["thermostat", 60, {}, []],
  ["inverter", 61, { sys_name: "Fronius Symo" }, [["Modbus", 502]]],
  ["wallbox", 62, {}, [["Modbus", 502]]],
  ["100%_green", 63, {}, []],
];

/**
 * What a person types, and the first results that they expect, as `entity label`. At least the
 * listed results come first, in this order.
 */
const questions: [string, ...string[]][] = [
  // Names.
  ["nas", "Host nas", "Host nas-backup"],
  ["NAS", "Host nas", "Host nas-backup"],
  ["nas-backup", "Host nas-backup"],
  ["backup", "Host nas-backup"],
  ["router", "Host router"],
  ["web", "Host web-old", "Host web1", "Host web2"],
  ["web1", "Host web1"],
  ["printer", "Host printer", "Host label printer"],
  ["label printer", "Host label printer"],
  ["printer label", "Host label printer"],
  ["garden", "Host garden", "Host camera-garden"],
  ["home assistant", "Host Home Assistant", "Service Home Assistant"],
  ["door", "Host doorbell", "Host camera-door"],
  ["büro", "Host Büro-PC"],
  ["BÜRO-pc", "Host Büro-PC"],
  ["anna", "Host laptop-anna", "Host phone-anna"],
  ["100%", "Host 100%_green"],
  ["%_", "Host 100%_green"],
  // Other fields of hosts.
  ["bravia", "Host tv"],
  ["dns.home.example", "Host pihole"],
  ["openwrt", "Host router"],
  ["debian 12", "Host database", "Host git", "Host nas-backup", "Host web1"],
  ["symo", "Host inverter"],
  ["gs1900", "Host switch-attic"],
  // Services and ports.
  ["weewx", "Service WeeWX", "Host garden"],
  ["weewx 8080", "Service WeeWX", "Port 8080/Tcp", "Host garden"],
  ["8080 weewx", "Service WeeWX", "Port 8080/Tcp", "Host garden"],
  ["postgres", "Service PostgreSQL", "Host database"],
  ["jelly", "Service Jellyfin", "Host media"],
  ["8123", "Port 8123/Tcp", "Host Home Assistant"],
  ["8123/tcp", "Port 8123/Tcp", "Host Home Assistant"],
  ["nginx web2", "Host web2", "Service Nginx"],
  ["rtsp garden", "Service RTSP", "Host camera-garden"],
  ["nas 443", "Host nas", "Port 443/Tcp"],
  ["git ssh", "Host git", "Service SSH"],
  ["modbus wallbox", "Host wallbox", "Service Modbus"],
  // Addresses.
  ["192.0.2.31", "IPAddress 192.0.2.31", "Host label printer", "Subnet Home"],
  ["192.0.2.6", "Subnet Home"],
  ["02-00-00-00-00-1e", "IPAddress 192.0.2.30", "Host printer"],
  ["192.0.2.0/24", "Subnet Home"],
  ["guest", "Subnet Guest WiFi", "Network Guests"],
  ["192.0.2.10 samba", "Service Samba", "IPAddress 192.0.2.10", "Host nas"],
  // Records beside hosts.
  ["uplink", "Tag uplink"],
];

let inventory: Inventory;

beforeAll(async () => {
  inventory = await openInventory();
  const { create, send } = inventory;
  await create("subnets", { cidr: "192.0.2.0/24", name: "Home" });
  await create("subnets", { cidr: "198.51.100.0/24", name: "Guest WiFi" });
  for (const [path, name] of [
    ["networks", "Guests"],
    ["tags", "uplink"],
  ]) {
    const answer = await openApi().send("POST", `/api/v1/${path}`, {
      key: inventory.organization.keys.owner,
      json: { name },
    });
    expect(answer).toMatchObject({ status: 201 });
  }
  const created = await send(
    "POST",
    "hosts/bulk",
    home.map(([name, last, fields, listens]) => {
      const ports = listens.map(([, number]) => ({
        id: crypto.randomUUID(),
        number,
        protocol: "Tcp",
      }));
      return {
        network_id: inventory.network_id,
        name,
        ...fields,
        ip_addresses: [
          {
            ip_address: `192.0.2.${last}`,
            mac_address: `02:00:00:00:00:${last.toString(16).padStart(2, "0")}`,
          },
        ],
        ports,
        services: listens.map(([service], index) => ({
          name: service,
          bindings: [{ type: "Port", port_id: ports[index]?.id }],
        })),
      };
    }),
  );
  expect(created).toMatchObject({ status: 201 });
});

test("at least forty questions are judged", () => {
  expect(new Set(questions.map(([q]) => q)).size).toBeGreaterThanOrEqual(40);
});

test.each(questions.map(([q, ...first]) => ({ q, first })))(
  "$q finds what a person expects first",
  async ({ q, first }) => {
    const parameters = new URLSearchParams({ q });
    const answer = await openApi().send("GET", `/api/v1/search?${parameters}`, {
      key: inventory.organization.keys.viewer,
    });
    expect(answer).toMatchObject({ status: 200 });
    const { data } = z.object({ data: z.array(searchResultSchema) }).parse(answer.body);
    const found = data.map(({ entity, label }) => `${entity} ${label}`);
    expect(found.slice(0, first.length)).toEqual(first);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
  },
);
