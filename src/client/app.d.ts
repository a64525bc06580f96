// Written by npm run generate:client.
import type { Hono } from "hono";

export interface Host {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  name: string;
  hostname: string | null;
  description: string | null;
  hidden: boolean;
  is_stale: boolean;
  tags: string[];
  source:
    | {
        type: "Discovery";
        metadata: {}[];
      }
    | {
        type: "Manual";
      }
    | {
        type: "System";
      }
    | {
        type: "Import";
      };
  virtualization: {
    type: "Proxmox";
    details: {
      vm_name: string | null;
      vm_id: string | null;
      service_id: string | null;
    };
  } | null;
  credential_assignments: {
    credential_id: string;
    ip_address_ids: string[] | null;
  }[];
  ip_addresses?: HostIPAddress[] | undefined;
  ports?: Port[] | undefined;
  interfaces?: Interface[] | undefined;
  services?: Service[] | undefined;
  chassis_id: string | null;
  management_url: string | null;
  manufacturer: string | null;
  model: string | null;
  operating_system: string | null;
  serial_number: string | null;
  sys_contact: string | null;
  sys_descr: string | null;
  sys_location: string | null;
  sys_name: string | null;
  sys_object_id: string | null;
}

export interface HostPatch {
  chassis_id?: string | null | undefined;
  created_at?: unknown;
  credential_assignments?:
    | {
        credential_id: string;
        ip_address_ids?: string[] | null | undefined;
      }[]
    | null
    | undefined;
  description?: string | null | undefined;
  expected_updated_at?: string | null | undefined;
  external_id?: string | null | undefined;
  first_discovery_id?: unknown;
  hidden?: (boolean | undefined) | null;
  hostname?: string | null | undefined;
  id?: string | null | undefined;
  interfaces?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        native_vlan?: number | null | undefined;
        tagged_vlans?: number[] | null | undefined;
        network_id?: unknown;
        if_index: number;
        name?: string | null | undefined;
        description?: string | null | undefined;
        type?: number | null | undefined;
        speed_bps?: number | null | undefined;
        mac_address?: string | null | undefined;
        admin_status?: "Down" | "Testing" | "Up" | null | undefined;
        oper_status?:
          | "Dormant"
          | "Down"
          | "LowerLayerDown"
          | "NotPresent"
          | "Testing"
          | "Unknown"
          | "Up"
          | null
          | undefined;
        alias?: string | null | undefined;
        read_at?: unknown;
        neighbors?: unknown;
        ip_address_ids?: string[] | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  ip_addresses?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        network_id?: unknown;
        subnet_id?: string | null | undefined;
        ip_address: string;
        mac_address?: string | null | undefined;
        name?: string | null | undefined;
        status?: "Active" | "Deprecated" | "Reserved" | undefined;
        role?: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null | undefined;
        position?: number | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  is_stale?: unknown;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  management_url?: string | null | undefined;
  manufacturer?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  model?: string | null | undefined;
  name?: string | undefined;
  network_id?: string | null | undefined;
  operating_system?: string | null | undefined;
  organization_id?: unknown;
  ports?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        network_id?: unknown;
        type?: unknown;
        is_open?: unknown;
        number: number;
        protocol: "Tcp" | "Udp";
        host_id?: unknown;
      }[]
    | null
    | undefined;
  serial_number?: string | null | undefined;
  services?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        external_id?: string | null | undefined;
        metadata?:
          | {
              [x: string]: string;
            }
          | null
          | undefined;
        network_id?: unknown;
        source?: unknown;
        is_open?: unknown;
        name: string;
        service_definition?: string | undefined;
        version?: string | null | undefined;
        virtualization?:
          | {
              type: "Docker";
              details: {
                container_name?: string | null | undefined;
                container_id?: string | null | undefined;
                compose_project?: string | null | undefined;
                service_id?: string | null | undefined;
              };
            }
          | null
          | undefined;
        tags?: string[] | undefined;
        position?: number | undefined;
        bindings?:
          | (
              | {
                  id?: string | undefined;
                  created_at?: unknown;
                  updated_at?: unknown;
                  organization_id?: unknown;
                  last_seen_at?: unknown;
                  valid_from?: unknown;
                  valid_to?: unknown;
                  lineage_id?: unknown;
                  first_discovery_id?: unknown;
                  last_discovery_id?: unknown;
                  network_id?: unknown;
                  host_id?: unknown;
                  label?: unknown;
                  type: "Port";
                  port_id: string;
                  ip_address_id?: string | null | undefined;
                  service_id?: unknown;
                }
              | {
                  id?: string | undefined;
                  created_at?: unknown;
                  updated_at?: unknown;
                  organization_id?: unknown;
                  last_seen_at?: unknown;
                  valid_from?: unknown;
                  valid_to?: unknown;
                  lineage_id?: unknown;
                  first_discovery_id?: unknown;
                  last_discovery_id?: unknown;
                  network_id?: unknown;
                  host_id?: unknown;
                  label?: unknown;
                  type: "IPAddress";
                  port_id?: null | undefined;
                  ip_address_id: string;
                  service_id?: unknown;
                }
            )[]
          | null
          | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  source?: unknown;
  sys_contact?: string | null | undefined;
  sys_descr?: string | null | undefined;
  sys_location?: string | null | undefined;
  sys_name?: string | null | undefined;
  sys_object_id?: string | null | undefined;
  tags?: string[] | null | undefined;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  virtualization?:
    | {
        details?:
          | {
              service_id?: string | null | undefined;
              vm_id?: string | null | undefined;
              vm_name?: string | null | undefined;
            }
          | undefined;
        type?: "Proxmox" | undefined;
      }
    | null
    | undefined;
}

export interface IdentifiedHostPatch extends HostPatch {
  id: string;
}

export interface HostReplacement {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  source?: unknown;
  is_stale?: unknown;
  name: string;
  ip_addresses?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        network_id?: unknown;
        subnet_id?: string | null | undefined;
        ip_address: string;
        mac_address?: string | null | undefined;
        name?: string | null | undefined;
        status?: "Active" | "Deprecated" | "Reserved" | undefined;
        role?: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null | undefined;
        position?: number | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  ports?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        network_id?: unknown;
        type?: unknown;
        is_open?: unknown;
        number: number;
        protocol: "Tcp" | "Udp";
        host_id?: unknown;
      }[]
    | null
    | undefined;
  interfaces?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        native_vlan?: number | null | undefined;
        tagged_vlans?: number[] | null | undefined;
        network_id?: unknown;
        if_index: number;
        name?: string | null | undefined;
        description?: string | null | undefined;
        type?: number | null | undefined;
        speed_bps?: number | null | undefined;
        mac_address?: string | null | undefined;
        admin_status?: "Down" | "Testing" | "Up" | null | undefined;
        oper_status?:
          | "Dormant"
          | "Down"
          | "LowerLayerDown"
          | "NotPresent"
          | "Testing"
          | "Unknown"
          | "Up"
          | null
          | undefined;
        alias?: string | null | undefined;
        read_at?: unknown;
        neighbors?: unknown;
        ip_address_ids?: string[] | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  services?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        external_id?: string | null | undefined;
        metadata?:
          | {
              [x: string]: string;
            }
          | null
          | undefined;
        network_id?: unknown;
        source?: unknown;
        is_open?: unknown;
        name: string;
        service_definition?: string | undefined;
        version?: string | null | undefined;
        virtualization?:
          | {
              type: "Docker";
              details: {
                container_name?: string | null | undefined;
                container_id?: string | null | undefined;
                compose_project?: string | null | undefined;
                service_id?: string | null | undefined;
              };
            }
          | null
          | undefined;
        tags?: string[] | undefined;
        position?: number | undefined;
        bindings?:
          | (
              | {
                  id?: string | undefined;
                  created_at?: unknown;
                  updated_at?: unknown;
                  organization_id?: unknown;
                  last_seen_at?: unknown;
                  valid_from?: unknown;
                  valid_to?: unknown;
                  lineage_id?: unknown;
                  first_discovery_id?: unknown;
                  last_discovery_id?: unknown;
                  network_id?: unknown;
                  host_id?: unknown;
                  label?: unknown;
                  type: "Port";
                  port_id: string;
                  ip_address_id?: string | null | undefined;
                  service_id?: unknown;
                }
              | {
                  id?: string | undefined;
                  created_at?: unknown;
                  updated_at?: unknown;
                  organization_id?: unknown;
                  last_seen_at?: unknown;
                  valid_from?: unknown;
                  valid_to?: unknown;
                  lineage_id?: unknown;
                  first_discovery_id?: unknown;
                  last_discovery_id?: unknown;
                  network_id?: unknown;
                  host_id?: unknown;
                  label?: unknown;
                  type: "IPAddress";
                  port_id?: null | undefined;
                  ip_address_id: string;
                  service_id?: unknown;
                }
            )[]
          | null
          | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  credential_assignments?:
    | {
        credential_id: string;
        ip_address_ids?: string[] | null | undefined;
      }[]
    | null
    | undefined;
  hostname?: string | null | undefined;
  description?: string | null | undefined;
  hidden?: boolean | undefined;
  tags?: string[] | undefined;
  virtualization?:
    | {
        type: "Proxmox";
        details: {
          vm_name?: string | null | undefined;
          vm_id?: string | null | undefined;
          service_id?: string | null | undefined;
        };
      }
    | null
    | undefined;
  network_id?: string | undefined;
  expected_updated_at?: string | null | undefined;
  chassis_id?: string | null | undefined;
  management_url?: string | null | undefined;
  manufacturer?: string | null | undefined;
  model?: string | null | undefined;
  operating_system?: string | null | undefined;
  serial_number?: string | null | undefined;
  sys_contact?: string | null | undefined;
  sys_descr?: string | null | undefined;
  sys_location?: string | null | undefined;
  sys_name?: string | null | undefined;
  sys_object_id?: string | null | undefined;
}

export interface HostInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  source?: unknown;
  is_stale?: unknown;
  network_id: string;
  name: string;
  ip_addresses?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        network_id?: unknown;
        subnet_id?: string | null | undefined;
        ip_address: string;
        mac_address?: string | null | undefined;
        name?: string | null | undefined;
        status?: "Active" | "Deprecated" | "Reserved" | undefined;
        role?: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null | undefined;
        position?: number | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  ports?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        network_id?: unknown;
        type?: unknown;
        is_open?: unknown;
        number: number;
        protocol: "Tcp" | "Udp";
        host_id?: unknown;
      }[]
    | null
    | undefined;
  interfaces?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        native_vlan?: number | null | undefined;
        tagged_vlans?: number[] | null | undefined;
        network_id?: unknown;
        if_index: number;
        name?: string | null | undefined;
        description?: string | null | undefined;
        type?: number | null | undefined;
        speed_bps?: number | null | undefined;
        mac_address?: string | null | undefined;
        admin_status?: "Down" | "Testing" | "Up" | null | undefined;
        oper_status?:
          | "Dormant"
          | "Down"
          | "LowerLayerDown"
          | "NotPresent"
          | "Testing"
          | "Unknown"
          | "Up"
          | null
          | undefined;
        alias?: string | null | undefined;
        read_at?: unknown;
        neighbors?: unknown;
        ip_address_ids?: string[] | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  services?:
    | {
        id?: string | undefined;
        created_at?: unknown;
        updated_at?: unknown;
        organization_id?: unknown;
        last_seen_at?: unknown;
        valid_from?: unknown;
        valid_to?: unknown;
        lineage_id?: unknown;
        first_discovery_id?: unknown;
        last_discovery_id?: unknown;
        external_id?: string | null | undefined;
        metadata?:
          | {
              [x: string]: string;
            }
          | null
          | undefined;
        network_id?: unknown;
        source?: unknown;
        is_open?: unknown;
        name: string;
        service_definition?: string | undefined;
        version?: string | null | undefined;
        virtualization?:
          | {
              type: "Docker";
              details: {
                container_name?: string | null | undefined;
                container_id?: string | null | undefined;
                compose_project?: string | null | undefined;
                service_id?: string | null | undefined;
              };
            }
          | null
          | undefined;
        tags?: string[] | undefined;
        position?: number | undefined;
        bindings?:
          | (
              | {
                  id?: string | undefined;
                  created_at?: unknown;
                  updated_at?: unknown;
                  organization_id?: unknown;
                  last_seen_at?: unknown;
                  valid_from?: unknown;
                  valid_to?: unknown;
                  lineage_id?: unknown;
                  first_discovery_id?: unknown;
                  last_discovery_id?: unknown;
                  network_id?: unknown;
                  host_id?: unknown;
                  label?: unknown;
                  type: "Port";
                  port_id: string;
                  ip_address_id?: string | null | undefined;
                  service_id?: unknown;
                }
              | {
                  id?: string | undefined;
                  created_at?: unknown;
                  updated_at?: unknown;
                  organization_id?: unknown;
                  last_seen_at?: unknown;
                  valid_from?: unknown;
                  valid_to?: unknown;
                  lineage_id?: unknown;
                  first_discovery_id?: unknown;
                  last_discovery_id?: unknown;
                  network_id?: unknown;
                  host_id?: unknown;
                  label?: unknown;
                  type: "IPAddress";
                  port_id?: null | undefined;
                  ip_address_id: string;
                  service_id?: unknown;
                }
            )[]
          | null
          | undefined;
        host_id?: unknown;
      }[]
    | null
    | undefined;
  credential_assignments?:
    | {
        credential_id: string;
        ip_address_ids?: string[] | null | undefined;
      }[]
    | null
    | undefined;
  hostname?: string | null | undefined;
  description?: string | null | undefined;
  hidden?: boolean | undefined;
  tags?: string[] | undefined;
  virtualization?:
    | {
        type: "Proxmox";
        details: {
          vm_name?: string | null | undefined;
          vm_id?: string | null | undefined;
          service_id?: string | null | undefined;
        };
      }
    | null
    | undefined;
  chassis_id?: string | null | undefined;
  management_url?: string | null | undefined;
  manufacturer?: string | null | undefined;
  model?: string | null | undefined;
  operating_system?: string | null | undefined;
  serial_number?: string | null | undefined;
  sys_contact?: string | null | undefined;
  sys_descr?: string | null | undefined;
  sys_location?: string | null | undefined;
  sys_name?: string | null | undefined;
  sys_object_id?: string | null | undefined;
}

export interface CredentialCreation {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  name: string;
  description?: string | null | undefined;
  organization_id: string;
  credential_type:
    | {
        type: "SnmpV1";
        community:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "DockerProxy";
        port?: number | undefined;
        path: string | null | undefined;
        ssl_cert:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_chain:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      }
    | {
        type: "DockerSocket";
      }
    | {
        type: "Gnmi";
        port?: number | undefined;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        tls?: boolean | undefined;
        skip_verify?: boolean | undefined;
      }
    | {
        type: "InstantOnAccount";
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        site: string | null | undefined;
      }
    | {
        type: "PodmanProxy";
        port?: number | undefined;
        path: string | null | undefined;
        ssl_cert:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_chain:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      }
    | {
        type: "PodmanSocket";
        socket_path: string | null | undefined;
      }
    | {
        type: "SnmpV2c";
        community:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "SnmpV3";
        security_name: string;
        auth_protocol: "Sha1" | "Sha256";
        auth_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        priv_protocol: "Aes128" | "Aes256";
        priv_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        context_name: string | null | undefined;
      }
    | {
        type: "SshKey";
        script: string;
        timeout_seconds?: number | undefined;
        host_key_fingerprint: string | null | undefined;
        port?: number | undefined;
        username: string;
        private_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        passphrase:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      }
    | {
        type: "SshPassword";
        script: string;
        timeout_seconds?: number | undefined;
        host_key_fingerprint: string | null | undefined;
        port?: number | undefined;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "UnifiApiKey";
        port?: number | undefined;
        site?: string | undefined;
        api_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "UnifiLocalAdmin";
        port?: number | undefined;
        site?: string | undefined;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "WakeOnLan";
        port?: number | undefined;
        wait_seconds?: number | undefined;
        broadcast_address: string | null | undefined;
        secure_on_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      };
  tags?: string[] | undefined;
  assigned_network_ids?: string[] | undefined;
  host_assignments?:
    | {
        host_id: string;
        ip_address_ids?: string[] | null | undefined;
      }[]
    | undefined;
}

export interface CredentialInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  name: string;
  description?: string | null | undefined;
  organization_id: string;
  tags: string[];
  assigned_network_ids: string[];
  host_assignments: {
    host_id: string;
    ip_address_ids?: string[] | null | undefined;
  }[];
  credential_type:
    | {
        type: "SnmpV1";
        community:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "DockerProxy";
        port?: number | undefined;
        path: string | null | undefined;
        ssl_cert:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_chain:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      }
    | {
        type: "DockerSocket";
      }
    | {
        type: "Gnmi";
        port?: number | undefined;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        tls?: boolean | undefined;
        skip_verify?: boolean | undefined;
      }
    | {
        type: "InstantOnAccount";
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        site: string | null | undefined;
      }
    | {
        type: "PodmanProxy";
        port?: number | undefined;
        path: string | null | undefined;
        ssl_cert:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_chain:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
        ssl_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      }
    | {
        type: "PodmanSocket";
        socket_path: string | null | undefined;
      }
    | {
        type: "SnmpV2c";
        community:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "SnmpV3";
        security_name: string;
        auth_protocol: "Sha1" | "Sha256";
        auth_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        priv_protocol: "Aes128" | "Aes256";
        priv_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        context_name: string | null | undefined;
      }
    | {
        type: "SshKey";
        script: string;
        timeout_seconds?: number | undefined;
        host_key_fingerprint: string | null | undefined;
        port?: number | undefined;
        username: string;
        private_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
        passphrase:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      }
    | {
        type: "SshPassword";
        script: string;
        timeout_seconds?: number | undefined;
        host_key_fingerprint: string | null | undefined;
        port?: number | undefined;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "UnifiApiKey";
        port?: number | undefined;
        site?: string | undefined;
        api_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "UnifiLocalAdmin";
        port?: number | undefined;
        site?: string | undefined;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            };
      }
    | {
        type: "WakeOnLan";
        port?: number | undefined;
        wait_seconds?: number | undefined;
        broadcast_address: string | null | undefined;
        secure_on_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null
          | undefined;
      };
}

export interface CredentialPatch {
  assigned_network_ids?: string[] | undefined;
  created_at?: unknown;
  credential_type?:
    | {
        api_key?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        auth_password?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        auth_protocol?: "Sha1" | "Sha256" | null | undefined;
        broadcast_address?: string | null | undefined;
        community?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        context_name?: string | null | undefined;
        host_key_fingerprint?: string | null | undefined;
        passphrase?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        password?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        path?: string | null | undefined;
        port?: (number | undefined) | null;
        priv_password?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        priv_protocol?: "Aes128" | "Aes256" | null | undefined;
        private_key?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        script?: string | null | undefined;
        secure_on_password?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        security_name?: string | null | undefined;
        site?: string | null | undefined;
        skip_verify?: (boolean | undefined) | null;
        socket_path?: string | null | undefined;
        ssl_cert?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        ssl_chain?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        ssl_key?:
          | {
              mode?: "FilePath" | "Inline" | undefined;
              path?: string | null | undefined;
              value?: string | null | undefined;
            }
          | null
          | undefined;
        timeout_seconds?: (number | undefined) | null;
        tls?: (boolean | undefined) | null;
        type?:
          | "DockerProxy"
          | "DockerSocket"
          | "Gnmi"
          | "InstantOnAccount"
          | "PodmanProxy"
          | "PodmanSocket"
          | "SnmpV1"
          | "SnmpV2c"
          | "SnmpV3"
          | "SshKey"
          | "SshPassword"
          | "UnifiApiKey"
          | "UnifiLocalAdmin"
          | "WakeOnLan"
          | undefined;
        username?: string | null | undefined;
        wait_seconds?: (number | undefined) | null;
      }
    | undefined;
  description?: string | null | undefined;
  external_id?: string | null | undefined;
  host_assignments?:
    | {
        host_id: string;
        ip_address_ids?: string[] | null | undefined;
      }[]
    | undefined;
  id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  name?: string | undefined;
  organization_id?: string | undefined;
  tags?: string[] | undefined;
  updated_at?: unknown;
}

export interface IdentifiedCredentialPatch extends CredentialPatch {
  id: string;
}

export interface Credential {
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  name: string;
  organization_id: string;
  tags: string[];
  assigned_network_ids: string[];
  host_assignments: {
    host_id: string;
    ip_address_ids: string[] | null;
  }[];
  credential_type:
    | {
        type: "SnmpV1";
        community:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
      }
    | {
        type: "DockerProxy";
        port: number;
        path: string | null;
        ssl_cert:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null;
        ssl_chain:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null;
        ssl_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            }
          | null;
      }
    | {
        type: "DockerSocket";
      }
    | {
        type: "Gnmi";
        port: number;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
        tls: boolean;
        skip_verify: boolean;
      }
    | {
        type: "InstantOnAccount";
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
        site: string | null;
      }
    | {
        type: "PodmanProxy";
        port: number;
        path: string | null;
        ssl_cert:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null;
        ssl_chain:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: string;
            }
          | null;
        ssl_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            }
          | null;
      }
    | {
        type: "PodmanSocket";
        socket_path: string | null;
      }
    | {
        type: "SnmpV2c";
        community:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
      }
    | {
        type: "SnmpV3";
        security_name: string;
        auth_protocol: "Sha1" | "Sha256";
        auth_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
        priv_protocol: "Aes128" | "Aes256";
        priv_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
        context_name: string | null;
      }
    | {
        type: "SshKey";
        script: string;
        timeout_seconds: number;
        host_key_fingerprint: string | null;
        port: number;
        username: string;
        private_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
        passphrase:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            }
          | null;
      }
    | {
        type: "SshPassword";
        script: string;
        timeout_seconds: number;
        host_key_fingerprint: string | null;
        port: number;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
      }
    | {
        type: "UnifiApiKey";
        port: number;
        site: string;
        api_key:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
      }
    | {
        type: "UnifiLocalAdmin";
        port: number;
        site: string;
        username: string;
        password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            };
      }
    | {
        type: "WakeOnLan";
        port: number;
        wait_seconds: number;
        broadcast_address: string | null;
        secure_on_password:
          | {
              mode: "FilePath";
              path: string;
            }
          | {
              mode: "Inline";
              value: "********";
            }
          | null;
      };
}

export interface TopologyData {
  hosts: {
    id: string;
    network_id: string;
    name: string;
  }[];
  subnets: {
    id: string;
    network_id: string;
    name: string;
    cidr: string;
    subnet_type:
      | "Dmz"
      | "DockerBridge"
      | "Gateway"
      | "Guest"
      | "Internet"
      | "IoT"
      | "IpVlan"
      | "Lan"
      | "Loopback"
      | "MacVlan"
      | "Management"
      | "Remote"
      | "Storage"
      | "Unknown"
      | "VpnTunnel"
      | "WiFi";
  }[];
  ip_addresses: {
    id: string;
    host_id: string;
    subnet_id: string | null;
    ip_address: string;
  }[];
  interfaces: {
    id: string;
    host_id: string;
    if_index: number;
    if_name: string | null;
  }[];
  dependencies: {}[];
  nodes: {
    L3Logical: (
      | {
          id: string;
          position: {
            x: 0;
            y: 0;
          };
          size: {
            x: 0;
            y: 0;
          };
          header: string;
          node_type: "Container";
          entity_id: string;
          container_type: "Subnet";
        }
      | {
          id: string;
          position: {
            x: 0;
            y: 0;
          };
          size: {
            x: 0;
            y: 0;
          };
          header: string;
          node_type: "Element";
          container_id: string;
          host_id: string;
          element_type: "IPAddress";
          subnet_id: string;
          ip_address_id: string;
        }
    )[];
    L2Physical: (
      | {
          id: string;
          position: {
            x: 0;
            y: 0;
          };
          size: {
            x: 0;
            y: 0;
          };
          header: string;
          node_type: "Container";
          entity_id: string;
          container_type: "Host";
        }
      | {
          id: string;
          position: {
            x: 0;
            y: 0;
          };
          size: {
            x: 0;
            y: 0;
          };
          header: string;
          node_type: "Element";
          container_id: string;
          host_id: string;
          element_type: "Interface";
          interface_id: string;
        }
    )[];
  };
  edges: {
    L3Logical: (
      | {
          id: string;
          source: string;
          target: string;
          label: string | null;
          source_handle: "Bottom";
          target_handle: "Top";
          is_multi_hop: false;
          relation_key: string | null;
          edge_type: "SameHost";
          host_id: string;
        }
      | {
          id: string;
          source: string;
          target: string;
          label: string | null;
          source_handle: "Bottom";
          target_handle: "Top";
          is_multi_hop: false;
          relation_key: string | null;
          edge_type: "Hypervisor";
          hypervisor_service_id: string;
        }
    )[];
    L2Physical: (
      | {
          id: string;
          source: string;
          target: string;
          label: string | null;
          source_handle: "Bottom";
          target_handle: "Top";
          is_multi_hop: false;
          relation_key: string | null;
          edge_type: "PhysicalLink";
          source_entity_id: string;
          target_entity_id: string;
          protocol: "CDP" | "LLDP";
        }
      | {
          id: string;
          source: string;
          target: string;
          label: string | null;
          source_handle: "Bottom";
          target_handle: "Top";
          is_multi_hop: false;
          relation_key: string | null;
          edge_type: "NeighborLink";
          source_host_id: string;
          target_host_id: string;
          protocol: "CDP" | "LLDP";
        }
    )[];
  };
  available_views: ("L2Physical" | "L3Logical")[];
}

export interface Topology {
  at: string | null;
  network_ids: string[];
  layer: "l2" | "l3" | "services";
  detail: "hosts" | "subnets";
  nodes: (
    | {
        id: string;
        type: "Host";
        record: {
          entity: "Binding" | "Host" | "IPAddress" | "Neighbor" | "Service" | "Subnet";
          id: string;
        };
        label: string;
        network_id: string;
        parent: string | null;
        details: {
          addresses: string[];
          services: number;
          operating_system: string | null;
        };
      }
    | {
        id: string;
        type: "Subnet";
        record: {
          entity: "Binding" | "Host" | "IPAddress" | "Neighbor" | "Service" | "Subnet";
          id: string;
        };
        label: string;
        network_id: string;
        parent: string | null;
        details: {
          cidr: string;
          subnet_type:
            | "Dmz"
            | "DockerBridge"
            | "Gateway"
            | "Guest"
            | "Internet"
            | "IoT"
            | "IpVlan"
            | "Lan"
            | "Loopback"
            | "MacVlan"
            | "Management"
            | "Remote"
            | "Storage"
            | "Unknown"
            | "VpnTunnel"
            | "WiFi";
          hosts: number;
          addresses: number;
        };
      }
    | {
        id: string;
        type: "Service";
        record: {
          entity: "Binding" | "Host" | "IPAddress" | "Neighbor" | "Service" | "Subnet";
          id: string;
        };
        label: string;
        network_id: string;
        parent: string | null;
        details: {
          service_definition: string;
          version: string | null;
          is_open: boolean;
        };
      }
    | {
        id: string;
        type: "Unknown";
        record: {
          entity: "Binding" | "Host" | "IPAddress" | "Neighbor" | "Service" | "Subnet";
          id: string;
        } | null;
        label: string;
        network_id: string;
        parent: string | null;
        details: {
          chassis_id: {
            subtype:
              | "ChassisComponent"
              | "InterfaceAlias"
              | "InterfaceName"
              | "LocallyAssigned"
              | "MacAddress"
              | "NetworkAddress"
              | "PortComponent";
            value: string;
          };
          system_name: string | null;
          system_description: string | null;
          management_addresses: string[];
        };
      }
  )[];
  edges: {
    id: string;
    type: "Address" | "Adjacent" | "Gateway" | "Learned" | "Link" | "RunsOn";
    source: string;
    target: string;
    basis: "inferred" | "recorded" | "reported";
    label: string | null;
    source_interface_id?: string | null | undefined;
    target_interface_id?: string | null | undefined;
    evidence: {
      entity: "Binding" | "Host" | "IPAddress" | "Neighbor" | "Service" | "Subnet";
      id: string;
      says?:
        | (
            | "chassis_mac"
            | "management_address"
            | "port_mac"
            | "port_name"
            | "reciprocal"
            | "single_mac"
            | "system_name"
          )[]
        | undefined;
    }[];
  }[];
  counts: {
    nodes: number;
    edges: number;
    hosts: number;
    hosts_in_no_subnet: number;
    neighbors_ambiguous?: number | undefined;
    neighbors_unknown?: number | undefined;
  };
}

export interface Organization {
  id: string;
  created_at: string;
  updated_at: string;
  name: string;
  onboarding: (
    | "FirstCredentialCreated"
    | "FirstDaemonRegistered"
    | "FirstDependencyCreated"
    | "FirstDiscoveryCompleted"
    | "FirstHostDiscovered"
    | "FirstSnapshotCreated"
    | "FirstSnmpCredentialCreated"
    | "FirstTagCreated"
    | "FirstTopologyRebuild"
    | "FirstUserApiKeyCreated"
    | "InviteAccepted"
    | "InviteSent"
    | "OnboardingModalCompleted"
    | "OrgCreated"
    | "PlanSelected"
    | "ProfileCompleted"
    | "ReferralSourceCompleted"
    | "SecondNetworkCreated"
  )[];
  plan: {
    type:
      | "Business"
      | "CommercialSelfHosted"
      | "Community"
      | "Demo"
      | "Enterprise"
      | "Free"
      | "Pro"
      | "Starter"
      | "Team";
    base_cents: number | null;
    rate: "Month" | "Year";
    trial_days: number;
    seat_cents: number | null;
    network_cents: number | null;
    host_cents: number | null;
    included_seats: number | null;
    included_networks: number | null;
    included_hosts: number | null;
  } | null;
  plan_status: {
    status: "active" | "cancelled" | "past_due" | "paused" | "pending_cancellation" | "trialing";
  } | null;
  discount_save_offer_active_until: string | null;
  discount_save_offer_percent_off: number | null;
  has_payment_method: boolean;
  last_discount_at: string | null;
  last_downgrade_at: string | null;
  last_downgrade_from_plan: {
    type:
      | "Business"
      | "CommercialSelfHosted"
      | "Community"
      | "Demo"
      | "Enterprise"
      | "Free"
      | "Pro"
      | "Starter"
      | "Team";
    base_cents: number | null;
    rate: "Month" | "Year";
    trial_days: number;
    seat_cents: number | null;
    network_cents: number | null;
    host_cents: number | null;
    included_seats: number | null;
    included_networks: number | null;
    included_hosts: number | null;
  } | null;
  last_paused_at: string | null;
  next_renewal_at: string | null;
  trial_end_date: string | null;
  trial_extended_used: boolean;
  use_case: "homelab" | "internal_it" | "msp" | "other";
  history_days: number | null;
  history_from: string | null;
}

export interface ServicePatch {
  bindings?:
    | (
        | {
            id?: string | undefined;
            created_at?: unknown;
            updated_at?: unknown;
            organization_id?: unknown;
            last_seen_at?: unknown;
            valid_from?: unknown;
            valid_to?: unknown;
            lineage_id?: unknown;
            first_discovery_id?: unknown;
            last_discovery_id?: unknown;
            network_id?: unknown;
            host_id?: unknown;
            label?: unknown;
            type: "Port";
            port_id: string;
            ip_address_id?: string | null | undefined;
            service_id?: unknown;
          }
        | {
            id?: string | undefined;
            created_at?: unknown;
            updated_at?: unknown;
            organization_id?: unknown;
            last_seen_at?: unknown;
            valid_from?: unknown;
            valid_to?: unknown;
            lineage_id?: unknown;
            first_discovery_id?: unknown;
            last_discovery_id?: unknown;
            network_id?: unknown;
            host_id?: unknown;
            label?: unknown;
            type: "IPAddress";
            port_id?: null | undefined;
            ip_address_id: string;
            service_id?: unknown;
          }
      )[]
    | null
    | undefined;
  created_at?: unknown;
  external_id?: string | null | undefined;
  first_discovery_id?: unknown;
  host_id?: string | undefined;
  id?: string | null | undefined;
  is_open?: unknown;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  name?: string | undefined;
  network_id?: unknown;
  organization_id?: unknown;
  position?: (number | undefined) | null;
  service_definition?: string | null | undefined;
  source?: unknown;
  tags?: string[] | null | undefined;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  version?: string | null | undefined;
  virtualization?:
    | {
        details?:
          | {
              compose_project?: string | null | undefined;
              container_id?: string | null | undefined;
              container_name?: string | null | undefined;
              service_id?: string | null | undefined;
            }
          | undefined;
        type?: "Docker" | undefined;
      }
    | null
    | undefined;
}

export interface IfEntry {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  host_id: string;
  if_index: number;
  speed_bps: number | null;
  mac_address: string | null;
  admin_status: "Down" | "Testing" | "Up" | null;
  oper_status:
    | "Dormant"
    | "Down"
    | "LowerLayerDown"
    | "NotPresent"
    | "Testing"
    | "Unknown"
    | "Up"
    | null;
  native_vlan: number | null;
  tagged_vlans: number[] | null;
  read_at: {
    lldp: string | null;
    cdp: string | null;
    fdb: string | null;
    vlans: string | null;
  };
  ip_address_ids: string[];
  neighbors: Neighbor[];
  if_name: string | null;
  if_descr: string;
  if_alias: string | null;
  if_type: number;
  lldp_sys_name: string | null;
}

export interface IdentifiedServicePatch extends ServicePatch {
  id: string;
}

export interface Interface {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  host_id: string;
  if_index: number;
  name: string | null;
  description: string | null;
  type: number | null;
  speed_bps: number | null;
  mac_address: string | null;
  admin_status: "Down" | "Testing" | "Up" | null;
  oper_status:
    | "Dormant"
    | "Down"
    | "LowerLayerDown"
    | "NotPresent"
    | "Testing"
    | "Unknown"
    | "Up"
    | null;
  alias: string | null;
  native_vlan: number | null;
  tagged_vlans: number[] | null;
  read_at: {
    lldp: string | null;
    cdp: string | null;
    fdb: string | null;
    vlans: string | null;
  };
  ip_address_ids: string[];
  neighbors: Neighbor[];
}

export interface ServiceInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  network_id?: unknown;
  source?: unknown;
  is_open?: unknown;
  name: string;
  service_definition?: string | undefined;
  version?: string | null | undefined;
  virtualization?:
    | {
        type: "Docker";
        details: {
          container_name?: string | null | undefined;
          container_id?: string | null | undefined;
          compose_project?: string | null | undefined;
          service_id?: string | null | undefined;
        };
      }
    | null
    | undefined;
  tags?: string[] | undefined;
  position?: number | undefined;
  bindings?:
    | (
        | {
            id?: string | undefined;
            created_at?: unknown;
            updated_at?: unknown;
            organization_id?: unknown;
            last_seen_at?: unknown;
            valid_from?: unknown;
            valid_to?: unknown;
            lineage_id?: unknown;
            first_discovery_id?: unknown;
            last_discovery_id?: unknown;
            network_id?: unknown;
            host_id?: unknown;
            label?: unknown;
            type: "Port";
            port_id: string;
            ip_address_id?: string | null | undefined;
            service_id?: unknown;
          }
        | {
            id?: string | undefined;
            created_at?: unknown;
            updated_at?: unknown;
            organization_id?: unknown;
            last_seen_at?: unknown;
            valid_from?: unknown;
            valid_to?: unknown;
            lineage_id?: unknown;
            first_discovery_id?: unknown;
            last_discovery_id?: unknown;
            network_id?: unknown;
            host_id?: unknown;
            label?: unknown;
            type: "IPAddress";
            port_id?: null | undefined;
            ip_address_id: string;
            service_id?: unknown;
          }
      )[]
    | null
    | undefined;
  host_id: string;
}

export interface Service {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  host_id: string;
  name: string;
  service_definition: string;
  version: string | null;
  virtualization: {
    type: "Docker";
    details: {
      container_name: string | null;
      container_id: string | null;
      compose_project: string | null;
      service_id: string | null;
    };
  } | null;
  tags: string[];
  position: number;
  source:
    | {
        type: "Discovery";
        metadata: {}[];
      }
    | {
        type: "Manual";
      }
    | {
        type: "System";
      }
    | {
        type: "Import";
      };
  is_open: boolean;
  bindings: (
    | {
        id: string;
        created_at: string;
        updated_at: string;
        service_id: string;
        network_id: string;
        last_seen_at: string;
        valid_from: string;
        valid_to: string | null;
        first_discovery_id: string | null;
        last_discovery_id: string | null;
        lineage_id: string | null;
        type: "Port";
        port_id: string;
        ip_address_id: string | null;
      }
    | {
        id: string;
        created_at: string;
        updated_at: string;
        service_id: string;
        network_id: string;
        last_seen_at: string;
        valid_from: string;
        valid_to: string | null;
        first_discovery_id: string | null;
        last_discovery_id: string | null;
        lineage_id: string | null;
        type: "IPAddress";
        port_id: null;
        ip_address_id: string;
      }
  )[];
}

export interface ProvisionedDaemon {
  daemon: Daemon;
  daemon_api_key: string | null;
}

export interface TestMessage {
  type: "inventory.test";
  timestamp: string;
  data: {
    changes: {
      id: string;
      at: string;
      change: "created" | "deleted" | "returned" | "updated";
      entity:
        | "Binding"
        | "Host"
        | "IPAddress"
        | "Interface"
        | "Neighbor"
        | "Port"
        | "Service"
        | "Subnet";
      entity_id: string;
      host_id: string | null;
      host_label: string | null;
      network_id: string;
      label: string;
      label_before: string | null;
      changed: string[];
      before: {
        [x: string]:
          | number
          | string[]
          | string
          | {
              [x: string]:
                | {
                    [x: string]: never;
                  }[]
                | string
                | {
                    [x: string]: string | null;
                  };
            }
          | null;
      } | null;
      after: {
        [x: string]:
          | number
          | string[]
          | string
          | {
              [x: string]:
                | {
                    [x: string]: never;
                  }[]
                | string
                | {
                    [x: string]: string | null;
                  };
            }
          | null;
      } | null;
      source:
        | {
            type: "Discovery";
            metadata: {
              [x: string]: never;
            }[];
          }
        | {
            type: "Manual";
          }
        | {
            type: "System";
          }
        | {
            type: "Import";
          };
      discovery_id: string | null;
      actor: {
        type: "daemon" | "import" | "key" | "operator" | "system" | "token";
        id: string | null;
        name: string | null;
      };
      request_id: string | null;
    }[];
    next_cursor: string | null;
  };
}

export interface ChangesMessage {
  type: "inventory.changes";
  timestamp: string;
  data: {
    changes: {
      id: string;
      at: string;
      change: "created" | "deleted" | "returned" | "updated";
      entity:
        | "Binding"
        | "Host"
        | "IPAddress"
        | "Interface"
        | "Neighbor"
        | "Port"
        | "Service"
        | "Subnet";
      entity_id: string;
      host_id: string | null;
      host_label: string | null;
      network_id: string;
      label: string;
      label_before: string | null;
      changed: string[];
      before: {
        [x: string]:
          | number
          | string[]
          | string
          | {
              [x: string]:
                | {
                    [x: string]: never;
                  }[]
                | string
                | {
                    [x: string]: string | null;
                  };
            }
          | null;
      } | null;
      after: {
        [x: string]:
          | number
          | string[]
          | string
          | {
              [x: string]:
                | {
                    [x: string]: never;
                  }[]
                | string
                | {
                    [x: string]: string | null;
                  };
            }
          | null;
      } | null;
      source:
        | {
            type: "Discovery";
            metadata: {
              [x: string]: never;
            }[];
          }
        | {
            type: "Manual";
          }
        | {
            type: "System";
          }
        | {
            type: "Import";
          };
      discovery_id: string | null;
      actor: {
        type: "daemon" | "import" | "key" | "operator" | "system" | "token";
        id: string | null;
        name: string | null;
      };
      request_id: string | null;
    }[];
    next_cursor: string;
  };
}

export interface Daemon {
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  organization_id: string;
  network_id: string;
  host_id: string | null;
  name: string;
  url: string;
  tags: string[];
  scan_schedule: {
    cron: string;
    timezone: string;
    is_full_scan: boolean | null;
  } | null;
  mode: "server_poll";
  version: string | null;
  version_status: {
    version: string | null;
    status: "Current" | "Outdated" | "Unknown";
    warnings: string[];
  };
  last_seen: string | null;
  is_unreachable: boolean;
  unreachable_since: string | null;
  consecutive_failures: number;
  next_poll_at: string | null;
  last_error: {
    code:
      | "connection_refused"
      | "dns_failed"
      | "http_status"
      | "not_json"
      | "redirected"
      | "timed_out"
      | "tls_failed"
      | "token_unreadable"
      | "too_large"
      | "url_forbidden"
      | "url_not_encrypted"
      | "wrong_shape";
    http_status: number | null;
    occurred_at: string;
  } | null;
  capabilities: {
    has_docker_socket: boolean;
    interfaced_subnet_ids: string[];
  };
  user_id: string | null;
  receives_credentials: boolean;
}

export interface Neighbor {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  host_id: string;
  interface_id: string;
  protocol: "Cdp" | "Fdb" | "Lldp";
  chassis_id: {
    subtype:
      | "ChassisComponent"
      | "InterfaceAlias"
      | "InterfaceName"
      | "LocallyAssigned"
      | "MacAddress"
      | "NetworkAddress"
      | "PortComponent";
    value: string;
  };
  port_id: {
    subtype:
      | "AgentCircuitId"
      | "InterfaceAlias"
      | "InterfaceName"
      | "LocallyAssigned"
      | "MacAddress"
      | "NetworkAddress"
      | "PortComponent";
    value: string;
  } | null;
  system_name: string | null;
  system_description: string | null;
  port_description: string | null;
  management_addresses: string[];
  source:
    | {
        type: "Discovery";
        metadata: {}[];
      }
    | {
        type: "Manual";
      }
    | {
        type: "System";
      }
    | {
        type: "Import";
      };
}

export interface InterfacePatch {
  admin_status?: "Down" | "Testing" | "Up" | null | undefined;
  alias?: string | null | undefined;
  created_at?: unknown;
  description?: string | null | undefined;
  first_discovery_id?: unknown;
  host_id?: string | undefined;
  id?: string | null | undefined;
  if_index?: number | undefined;
  ip_address_ids?: string[] | null | undefined;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  mac_address?: string | null | undefined;
  name?: string | null | undefined;
  native_vlan?: number | null | undefined;
  neighbors?: unknown;
  network_id?: unknown;
  oper_status?:
    | "Dormant"
    | "Down"
    | "LowerLayerDown"
    | "NotPresent"
    | "Testing"
    | "Unknown"
    | "Up"
    | null
    | undefined;
  organization_id?: unknown;
  read_at?: unknown;
  speed_bps?: number | null | undefined;
  tagged_vlans?: number[] | null | undefined;
  type?: number | null | undefined;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
}

export interface InventoryChange {
  id: string;
  at: string;
  change: "created" | "deleted" | "returned" | "updated";
  entity:
    | "Binding"
    | "Host"
    | "IPAddress"
    | "Interface"
    | "Neighbor"
    | "Port"
    | "Service"
    | "Subnet";
  entity_id: string;
  host_id: string | null;
  host_label: string | null;
  network_id: string;
  label: string;
  label_before: string | null;
  changed: string[];
  before: {
    [x: string]:
      | number
      | string[]
      | string
      | {
          [x: string]:
            | {}[]
            | string
            | {
                [x: string]: string | null;
              };
        }
      | null;
  } | null;
  after: {
    [x: string]:
      | number
      | string[]
      | string
      | {
          [x: string]:
            | {}[]
            | string
            | {
                [x: string]: string | null;
              };
        }
      | null;
  } | null;
  source:
    | {
        type: "Discovery";
        metadata: {}[];
      }
    | {
        type: "Manual";
      }
    | {
        type: "System";
      }
    | {
        type: "Import";
      };
  discovery_id: string | null;
  actor: {
    type: "daemon" | "import" | "key" | "operator" | "system" | "token";
    id: string | null;
    name: string | null;
  };
  request_id: string | null;
}

export interface IdentifiedInterfacePatch extends InterfacePatch {
  id: string;
}

export interface SubnetPatch {
  cidr?: string | undefined;
  created_at?: unknown;
  description?: string | null | undefined;
  external_id?: string | null | undefined;
  first_discovery_id?: unknown;
  id?: string | null | undefined;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  name?: string | null | undefined;
  network_id?: string | undefined;
  organization_id?: unknown;
  parent_id?: unknown;
  source?: unknown;
  subnet_type?:
    | "Dmz"
    | "DockerBridge"
    | "Gateway"
    | "Guest"
    | "Internet"
    | "IoT"
    | "IpVlan"
    | "Lan"
    | "Loopback"
    | "MacVlan"
    | "Management"
    | "Remote"
    | "Storage"
    | "Unknown"
    | "VpnTunnel"
    | "WiFi"
    | null
    | undefined;
  tags?: string[] | null | undefined;
  updated_at?: unknown;
  utilization?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  virtualization?: unknown;
  virtualization_service_id?: unknown;
}

export interface InterfaceInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  native_vlan?: number | null | undefined;
  tagged_vlans?: number[] | null | undefined;
  network_id?: unknown;
  if_index: number;
  name?: string | null | undefined;
  description?: string | null | undefined;
  type?: number | null | undefined;
  speed_bps?: number | null | undefined;
  mac_address?: string | null | undefined;
  admin_status?: "Down" | "Testing" | "Up" | null | undefined;
  oper_status?:
    | "Dormant"
    | "Down"
    | "LowerLayerDown"
    | "NotPresent"
    | "Testing"
    | "Unknown"
    | "Up"
    | null
    | undefined;
  alias?: string | null | undefined;
  read_at?: unknown;
  neighbors?: unknown;
  ip_address_ids?: string[] | undefined;
  host_id: string;
}

export interface IdentifiedSubnetPatch extends SubnetPatch {
  id: string;
}

export interface DaemonPatch {
  capabilities?: unknown;
  consecutive_failures?: unknown;
  created_at?: unknown;
  external_id?: string | null | undefined;
  host_id?: unknown;
  id?: string | null | undefined;
  is_unreachable?: unknown;
  last_error?: unknown;
  last_seen?: unknown;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  mode?: unknown;
  name?: string | undefined;
  network_id?: string | undefined;
  next_poll_at?: unknown;
  organization_id?: unknown;
  os?: unknown;
  receives_credentials?: (boolean | undefined) | null;
  scan_schedule?:
    | {
        cron?: string | undefined;
        is_full_scan?: boolean | null | undefined;
        timezone?: string | null | undefined;
      }
    | null
    | undefined;
  tags?: string[] | null | undefined;
  unreachable_since?: unknown;
  updated_at?: unknown;
  url?: string | undefined;
  user_id?: unknown;
  version?: unknown;
  version_status?: unknown;
}

export interface Subnet {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  cidr: string;
  name: string;
  description: string | null;
  subnet_type:
    | "Dmz"
    | "DockerBridge"
    | "Gateway"
    | "Guest"
    | "Internet"
    | "IoT"
    | "IpVlan"
    | "Lan"
    | "Loopback"
    | "MacVlan"
    | "Management"
    | "Remote"
    | "Storage"
    | "Unknown"
    | "VpnTunnel"
    | "WiFi";
  tags: string[];
  source:
    | {
        type: "Discovery";
        metadata: {}[];
      }
    | {
        type: "Manual";
      }
    | {
        type: "System";
      }
    | {
        type: "Import";
      };
  parent_id: string | null;
  utilization: {
    addresses: number | null;
    recorded: number;
    seen_last_day: number | null;
  };
}

export interface IdentifiedDaemonPatch extends DaemonPatch {
  id: string;
}

export interface SubnetInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  source?: unknown;
  parent_id?: unknown;
  utilization?: unknown;
  virtualization?: unknown;
  virtualization_service_id?: unknown;
  network_id: string;
  cidr: string;
  name?: string | undefined;
  description?: string | null | undefined;
  subnet_type?:
    | "Dmz"
    | "DockerBridge"
    | "Gateway"
    | "Guest"
    | "Internet"
    | "IoT"
    | "IpVlan"
    | "Lan"
    | "Loopback"
    | "MacVlan"
    | "Management"
    | "Remote"
    | "Storage"
    | "Unknown"
    | "VpnTunnel"
    | "WiFi"
    | undefined;
  tags?: string[] | undefined;
}

export type BindingInput =
  | {
      id?: string | undefined;
      created_at?: unknown;
      updated_at?: unknown;
      organization_id?: unknown;
      last_seen_at?: unknown;
      valid_from?: unknown;
      valid_to?: unknown;
      lineage_id?: unknown;
      first_discovery_id?: unknown;
      last_discovery_id?: unknown;
      network_id?: unknown;
      host_id?: unknown;
      label?: unknown;
      type: "Port";
      port_id: string;
      ip_address_id?: string | null | undefined;
      service_id: string;
    }
  | {
      id?: string | undefined;
      created_at?: unknown;
      updated_at?: unknown;
      organization_id?: unknown;
      last_seen_at?: unknown;
      valid_from?: unknown;
      valid_to?: unknown;
      lineage_id?: unknown;
      first_discovery_id?: unknown;
      last_discovery_id?: unknown;
      network_id?: unknown;
      host_id?: unknown;
      label?: unknown;
      type: "IPAddress";
      port_id?: null | undefined;
      ip_address_id: string;
      service_id: string;
    };

export interface IssuedWebhook {
  secret: string;
  webhook: Webhook;
}

export interface DaemonInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  host_id?: unknown;
  mode?: unknown;
  version?: unknown;
  version_status?: unknown;
  last_seen?: unknown;
  is_unreachable?: unknown;
  unreachable_since?: unknown;
  consecutive_failures?: unknown;
  next_poll_at?: unknown;
  last_error?: unknown;
  capabilities?: unknown;
  user_id?: unknown;
  os?: unknown;
  receives_credentials?: boolean | undefined;
  name: string;
  network_id: string;
  url: string;
  tags?: string[] | undefined;
  scan_schedule?:
    | {
        cron: string;
        timezone?: string | undefined;
        is_full_scan?: boolean | null | undefined;
      }
    | null
    | undefined;
}

export interface Webhook {
  id: string;
  created_at: string;
  updated_at: string;
  organization_id: string;
  name: string;
  url: string;
  entities: (
    | "Binding"
    | "Host"
    | "IPAddress"
    | "Interface"
    | "Neighbor"
    | "Port"
    | "Service"
    | "Subnet"
  )[];
  changes: ("created" | "deleted" | "returned" | "updated")[];
  network_ids: string[] | null;
  is_enabled: boolean;
  disabled_reason: "failing" | "gone" | "requested" | null;
  secret_hint: string;
  last_success_at: string | null;
  last_failure_at: string | null;
  last_error: {
    code:
      | "connection_refused"
      | "dns_failed"
      | "history_expired"
      | "http_status"
      | "redirected"
      | "secret_unreadable"
      | "timed_out"
      | "tls_failed"
      | "url_forbidden"
      | "url_not_encrypted";
    http_status: number | null;
  } | null;
}

export type Binding =
  | {
      id: string;
      created_at: string;
      updated_at: string;
      service_id: string;
      network_id: string;
      last_seen_at: string;
      valid_from: string;
      valid_to: string | null;
      first_discovery_id: string | null;
      last_discovery_id: string | null;
      lineage_id: string | null;
      type: "Port";
      port_id: string;
      ip_address_id: string | null;
      host_id: string;
      label: string;
    }
  | {
      id: string;
      created_at: string;
      updated_at: string;
      service_id: string;
      network_id: string;
      last_seen_at: string;
      valid_from: string;
      valid_to: string | null;
      first_discovery_id: string | null;
      last_discovery_id: string | null;
      lineage_id: string | null;
      type: "IPAddress";
      port_id: null;
      ip_address_id: string;
      host_id: string;
      label: string;
    };

export interface CreatedOrganization {
  organization: ManagedOrganization;
  key: string;
  api_key: {
    id: string;
    name: string;
    permissions: "Owner";
    key_hint: string;
  };
}

export interface IPAddressPatch {
  created_at?: unknown;
  first_discovery_id?: unknown;
  host_id?: string | undefined;
  id?: string | null | undefined;
  ip_address?: string | undefined;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  mac_address?: string | null | undefined;
  name?: string | null | undefined;
  network_id?: unknown;
  organization_id?: unknown;
  position?: (number | undefined) | null;
  role?: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null | undefined;
  status?: "Active" | "Deprecated" | "Reserved" | null | undefined;
  subnet_id?: string | null | undefined;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
}

export interface NeighborPatch {
  chassis_id?: unknown;
  created_at?: unknown;
  first_discovery_id?: unknown;
  host_id?: unknown;
  id?: string | null | undefined;
  interface_id?: string | undefined;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  management_addresses?: string[] | null | undefined;
  network_id?: unknown;
  organization_id?: unknown;
  port_description?: string | null | undefined;
  port_id?: unknown;
  protocol?: "Cdp" | "Fdb" | "Lldp" | undefined;
  source?: unknown;
  system_description?: string | null | undefined;
  system_name?: string | null | undefined;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
}

export interface IdentifiedIPAddressPatch extends IPAddressPatch {
  id: string;
}

export interface IdentifiedNeighborPatch extends NeighborPatch {
  id: string;
}

export interface NeighborInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  protocol: "Cdp" | "Fdb" | "Lldp";
  chassis_id: unknown;
  port_id?: unknown;
  system_name?: string | null | undefined;
  system_description?: string | null | undefined;
  port_description?: string | null | undefined;
  management_addresses?: string[] | undefined;
  network_id?: unknown;
  host_id?: unknown;
  source?: unknown;
  interface_id: string;
}

export interface WebhookPatch {
  changes?: ("created" | "deleted" | "returned" | "updated")[] | null | undefined;
  created_at?: unknown;
  disabled_reason?: unknown;
  entities?:
    | (
        | "Binding"
        | "Host"
        | "IPAddress"
        | "Interface"
        | "Neighbor"
        | "Port"
        | "Service"
        | "Subnet"
      )[]
    | null
    | undefined;
  id?: string | null | undefined;
  is_enabled?: (boolean | undefined) | null;
  last_error?: unknown;
  last_failure_at?: unknown;
  last_success_at?: unknown;
  name?: string | undefined;
  network_ids?: string[] | null | undefined;
  organization_id?: unknown;
  secret_hint?: unknown;
  updated_at?: unknown;
  url?: string | undefined;
}

export interface IPAddressInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  network_id?: unknown;
  subnet_id?: string | null | undefined;
  ip_address: string;
  mac_address?: string | null | undefined;
  name?: string | null | undefined;
  status?: "Active" | "Deprecated" | "Reserved" | undefined;
  role?: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null | undefined;
  position?: number | undefined;
  host_id: string;
}

export interface Summary {
  at: string;
  network_id: string | null;
  counts: {
    subnets: number;
    hosts: number;
    ip_addresses: number;
    ports: number;
    interfaces: number;
    neighbors: number;
    services: number;
    bindings: number;
  };
  hosts_seen: {
    last_day: number;
    last_week: number;
    last_month: number;
    stale: number;
  } | null;
  services: {
    service_definition: string;
    count: number;
  }[];
  subnets: {
    id: string;
    network_id: string;
    name: string;
    cidr: string;
    hosts: number;
    ip_addresses: number;
  }[];
  open_ports: {
    number: number;
    protocol: "Tcp" | "Udp";
    type: string;
    hosts: number;
  }[];
}

export interface ManagedOrganization {
  id: string;
  created_at: string;
  updated_at: string;
  name: string;
  plan: {
    type:
      | "Business"
      | "CommercialSelfHosted"
      | "Community"
      | "Demo"
      | "Enterprise"
      | "Free"
      | "Pro"
      | "Starter"
      | "Team";
    base_cents: number | null;
    rate: "Month" | "Year";
    trial_days: number;
    seat_cents: number | null;
    network_cents: number | null;
    host_cents: number | null;
    included_seats: number | null;
    included_networks: number | null;
    included_hosts: number | null;
  } | null;
  state: "active" | "deleted" | "suspended";
  suspended_at: string | null;
  deletes_at: string | null;
}

export interface WebhookInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  disabled_reason?: unknown;
  secret_hint?: unknown;
  last_success_at?: unknown;
  last_failure_at?: unknown;
  last_error?: unknown;
  name: string;
  url: string;
  entities?:
    | (
        | "Binding"
        | "Host"
        | "IPAddress"
        | "Interface"
        | "Neighbor"
        | "Port"
        | "Service"
        | "Subnet"
      )[]
    | undefined;
  changes?: ("created" | "deleted" | "returned" | "updated")[] | undefined;
  network_ids?: string[] | null | undefined;
  is_enabled?: boolean | undefined;
}

export interface TagPatch {
  color?:
    | "Amber"
    | "Blue"
    | "Cyan"
    | "Emerald"
    | "Fuchsia"
    | "Gray"
    | "Green"
    | "Indigo"
    | "Lime"
    | "Orange"
    | "Pink"
    | "Purple"
    | "Red"
    | "Rose"
    | "Sky"
    | "Teal"
    | "Violet"
    | "Yellow"
    | null
    | undefined;
  created_at?: unknown;
  description?: string | null | undefined;
  external_id?: string | null | undefined;
  id?: string | null | undefined;
  is_application?: unknown;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  name?: string | undefined;
  organization_id?: unknown;
  updated_at?: unknown;
}

export interface IdentifiedTagPatch extends TagPatch {
  id: string;
}

export interface HostIPAddress {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  host_id: string;
  subnet_id: string | null;
  ip_address: string;
  mac_address: string | null;
  name: string | null;
  status: "Active" | "Deprecated" | "Reserved";
  role: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null;
  position: number;
}

export interface AuditEntry {
  id: string;
  at: string;
  action:
    | "assigned"
    | "cancelled"
    | "created"
    | "deleted"
    | "replayed"
    | "resumed"
    | "retried"
    | "rotated"
    | "scanned"
    | "suspended"
    | "tested"
    | "unassigned"
    | "updated";
  entity: "ApiKey" | "Credential" | "Daemon" | "Network" | "Organization" | "Tag" | "Webhook";
  entity_id: string;
  label: string;
  changed: string[];
  actor: {
    type: "daemon" | "import" | "key" | "operator" | "system" | "token";
    id: string | null;
    name: string | null;
  };
  request_id: string | null;
}

export interface WebhookDelivery {
  id: string;
  created_at: string;
  webhook_id: string;
  message_id: string;
  state: "delivered" | "failed" | "retrying";
  since: string;
  until: string;
  attempt_count: number;
  last_attempt_at: string;
  next_attempt_at: string | null;
  duration_ms: number;
  error: {
    code:
      | "connection_refused"
      | "dns_failed"
      | "history_expired"
      | "http_status"
      | "redirected"
      | "secret_unreadable"
      | "timed_out"
      | "tls_failed"
      | "url_forbidden"
      | "url_not_encrypted";
    http_status: number | null;
  } | null;
}

export interface Caller {
  api_key: ApiKey;
  token: {
    subject: string;
    permissions: "Admin" | "Member" | "Owner" | "Viewer";
    network_ids: string[] | null;
    expires_at: string;
  } | null;
  organization: {
    id: string;
    name: string;
  };
}

export interface OrganizationInput {
  id?: string | undefined;
  name: string;
  plan?:
    | {
        type:
          | "Business"
          | "CommercialSelfHosted"
          | "Community"
          | "Demo"
          | "Enterprise"
          | "Free"
          | "Pro"
          | "Starter"
          | "Team";
        base_cents: number | null;
        rate: "Month" | "Year";
        trial_days: number;
        seat_cents: number | null;
        network_cents: number | null;
        host_cents: number | null;
        included_seats: number | null;
        included_networks: number | null;
        included_hosts: number | null;
      }
    | null
    | undefined;
  key_name?: string | undefined;
}

export interface TagInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  is_application?: unknown;
  name: string;
  description?: string | null | undefined;
  color?:
    | "Amber"
    | "Blue"
    | "Cyan"
    | "Emerald"
    | "Fuchsia"
    | "Gray"
    | "Green"
    | "Indigo"
    | "Lime"
    | "Orange"
    | "Pink"
    | "Purple"
    | "Red"
    | "Rose"
    | "Sky"
    | "Teal"
    | "Violet"
    | "Yellow"
    | undefined;
}

export interface DiscoverySession {
  id: string;
  created_at: string;
  updated_at: string;
  organization_id: string;
  network_id: string;
  daemon_id: string;
  host_id: string | null;
  phase:
    | "Cancelled"
    | "Complete"
    | "Failed"
    | "Pending"
    | "Queued"
    | "Scanning"
    | "Started"
    | "Starting";
  progress: number;
  hosts_discovered: number | null;
  error: string | null;
  subnet_ids: string[] | null;
  is_full_scan: boolean | null;
  started_at: string | null;
  finished_at: string | null;
  cancel_requested_at: string | null;
}

export interface BindingPatch {
  created_at?: unknown;
  first_discovery_id?: unknown;
  host_id?: unknown;
  id?: string | null | undefined;
  ip_address_id?: string | null | undefined;
  label?: unknown;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  network_id?: unknown;
  organization_id?: unknown;
  port_id?: string | null | undefined;
  service_id?: string | undefined;
  type?: "IPAddress" | "Port" | undefined;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
}

export interface NetworkPatch {
  created_at?: unknown;
  credential_ids?: string[] | null | undefined;
  description?: string | null | undefined;
  effective_stale_after_hours?: unknown;
  external_id?: string | null | undefined;
  id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string | undefined;
      }
    | null
    | undefined;
  name?: string | undefined;
  organization_id?: unknown;
  stale_after_hours?: number | null | undefined;
  tags?: string[] | null | undefined;
  updated_at?: unknown;
}

export interface IdentifiedBindingPatch extends BindingPatch {
  id: string;
}

export interface ApiKeyPatch {
  created_at?: unknown;
  expires_at?: string | null | undefined;
  id?: string | null | undefined;
  is_enabled?: (boolean | undefined) | null;
  key?: unknown;
  key_hint?: unknown;
  last_used?: unknown;
  last_used_at?: unknown;
  name?: string | undefined;
  network_ids?: string[] | null | undefined;
  organization_id?: unknown;
  permissions?: "Admin" | "Member" | "Owner" | "Viewer" | undefined;
  tags?: unknown;
  updated_at?: unknown;
  user_id?: unknown;
}

export interface IdentifiedNetworkPatch extends NetworkPatch {
  id: string;
}

export interface PortPatch {
  created_at?: unknown;
  first_discovery_id?: unknown;
  host_id?: string | undefined;
  id?: string | null | undefined;
  is_open?: unknown;
  last_discovery_id?: unknown;
  last_seen_at?: unknown;
  lineage_id?: unknown;
  network_id?: unknown;
  number?: number | undefined;
  organization_id?: unknown;
  protocol?: "Tcp" | "Udp" | undefined;
  type?: unknown;
  updated_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
}

export interface NetworkInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  effective_stale_after_hours?: unknown;
  name: string;
  description?: string | null | undefined;
  stale_after_hours?: number | null | undefined;
  tags?: string[] | undefined;
  credential_ids?: string[] | undefined;
}

export interface ApiKeyInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_used_at?: unknown;
  last_used?: unknown;
  user_id?: unknown;
  tags?: unknown;
  key?: unknown;
  key_hint?: unknown;
  name: string;
  permissions: "Admin" | "Member" | "Owner" | "Viewer";
  network_ids?: string[] | null | undefined;
  expires_at?: string | null | undefined;
  is_enabled?: boolean | undefined;
}

export interface IdentifiedPortPatch extends PortPatch {
  id: string;
}

export interface Tag {
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  organization_id: string;
  name: string;
  description: string | null;
  color:
    | "Amber"
    | "Blue"
    | "Cyan"
    | "Emerald"
    | "Fuchsia"
    | "Gray"
    | "Green"
    | "Indigo"
    | "Lime"
    | "Orange"
    | "Pink"
    | "Purple"
    | "Red"
    | "Rose"
    | "Sky"
    | "Teal"
    | "Violet"
    | "Yellow";
}

export interface ImportResult {
  discovery_id: string | null;
  dry_run: boolean;
  counts: {
    created: number;
    changed: number;
    unchanged: number;
    failed: number;
  };
  hosts: {
    index: number;
    outcome: "changed" | "created" | "failed" | "unchanged";
    host_id: string | null;
    matched_by: "address" | "external_id" | "id" | "mac" | null;
    issues: {
      path: string;
      message: string;
      code: string;
    }[];
  }[];
}

export interface DaemonProvision {
  external_id?: string | null | undefined;
  metadata?:
    | {
        [x: string]: string;
      }
    | null
    | undefined;
  id?: string | undefined;
  name: string;
  network_id: string;
  url: string;
  mode?: "server_poll" | undefined;
  tags?: string[] | undefined;
  scan_schedule?:
    | {
        cron: string;
        timezone?: string | undefined;
        is_full_scan?: boolean | null | undefined;
      }
    | null
    | undefined;
}

export interface PortInput {
  id?: string | undefined;
  created_at?: unknown;
  updated_at?: unknown;
  organization_id?: unknown;
  last_seen_at?: unknown;
  valid_from?: unknown;
  valid_to?: unknown;
  lineage_id?: unknown;
  first_discovery_id?: unknown;
  last_discovery_id?: unknown;
  network_id?: unknown;
  type?: unknown;
  is_open?: unknown;
  number: number;
  protocol: "Tcp" | "Udp";
  host_id: string;
}

export interface Port {
  organization_id: string;
  network_id: string;
  last_seen_at: string;
  valid_from: string;
  valid_to: string | null;
  lineage_id: string | null;
  first_discovery_id: string | null;
  last_discovery_id: string | null;
  id: string;
  created_at: string;
  updated_at: string;
  host_id: string;
  number: number;
  protocol: "Tcp" | "Udp";
  type: string;
  is_open: boolean;
}

export interface WebhookTrial {
  message_id: string;
  is_delivered: boolean;
  http_status: number | null;
  error: {
    code:
      | "connection_refused"
      | "dns_failed"
      | "history_expired"
      | "http_status"
      | "redirected"
      | "secret_unreadable"
      | "timed_out"
      | "tls_failed"
      | "url_forbidden"
      | "url_not_encrypted";
    http_status: number | null;
  } | null;
  duration_ms: number;
}

export interface IssuedApiKey {
  key: string;
  api_key: ApiKey;
}

export interface ApiKey {
  id: string;
  created_at: string;
  updated_at: string;
  organization_id: string;
  name: string;
  permissions: "Admin" | "Member" | "Owner" | "Viewer";
  network_ids: string[] | null;
  expires_at: string | null;
  is_enabled: boolean;
  last_used_at: string | null;
  key_hint: string | null;
}

export interface Network {
  id: string;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  metadata: {
    [x: string]: string;
  };
  organization_id: string;
  name: string;
  description: string | null;
  stale_after_hours: number | null;
  tags: string[];
  credential_ids: string[];
}

export interface Reachability {
  reachable: boolean;
  error:
    | "connection_refused"
    | "dns_failed"
    | "http_status"
    | "not_json"
    | "redirected"
    | "timed_out"
    | "tls_failed"
    | "token_unreadable"
    | "too_large"
    | "url_forbidden"
    | "url_not_encrypted"
    | "wrong_shape"
    | null;
  health: boolean | null;
}

export interface ListMeta {
  api_version: 1;
  server_version: string;
  pagination: {
    total_count: number;
    limit: number;
    offset: number;
    has_more: boolean;
    next_cursor: string | null;
  };
  etags?: string[] | undefined;
  labels?:
    | {
        readonly [x: string]: string;
      }
    | undefined;
}

export interface ChangeHistogram {
  from: string;
  to: string;
  interval_ms: number;
  is_estimate: boolean;
  buckets: {
    at: string;
    begun: number | null;
    changed: number | null;
    ended: number | null;
    transactions: number;
    first_at: string;
    last_at: string;
  }[];
}

export interface SearchResult {
  entity:
    | "Credential"
    | "Daemon"
    | "Host"
    | "IPAddress"
    | "Interface"
    | "Neighbor"
    | "Network"
    | "Port"
    | "Service"
    | "Subnet"
    | "Tag";
  id: string;
  label: string;
  host_id: string | null;
  matched: string[];
  score: number;
}

export interface Vlan {
  id: string;
  created_at: string;
  updated_at: string;
  organization_id: string;
  network_id: string;
  vlan_number: number;
  interfaces: number;
  hosts: number;
  subnet_ids: string[];
  name: string;
  tags: string[];
}

export interface TakeIPAddresses {
  host_id: string;
  count?: number | undefined;
  name?: string | null | undefined;
  status?: "Active" | "Deprecated" | "Reserved" | undefined;
  role?: "Anycast" | "Dhcp" | "Gateway" | "Vip" | null | undefined;
}

export interface Usage {
  organization_id: string;
  days: {
    day: string;
    requests: number;
    hosts: number | null;
    versions: number | null;
    daemons: number | null;
    webhook_deliveries: number;
  }[];
}

export interface TokenInput {
  permissions: "Admin" | "Member" | "Owner" | "Viewer";
  subject: string;
  network_ids?: string[] | null | undefined;
  expires_in?: number | undefined;
}

export interface ImportInput {
  source?:
    | {
        name: string;
        version?: string | null | undefined;
      }
    | null
    | undefined;
  observed_at?: string | null | undefined;
  hosts: unknown[];
}

export interface NetworkTopology {
  id: string;
  created_at: string;
  updated_at: string;
  network_id: string;
  name: string;
  views: ("L2Physical" | "L3Logical" | "Workloads")[];
}

export interface CursorMeta {
  api_version: 1;
  server_version: string;
  next_cursor: string;
  has_more: boolean;
  labels?:
    | {
        readonly [x: string]: string;
      }
    | undefined;
}

export interface AssignedTags {
  entity_type: "Credential" | "Daemon" | "Host" | "Network" | "Service" | "Subnet";
  entity_id: string;
  tag_ids: string[];
}

export interface BulkTagAssignment {
  entity_type: "Credential" | "Daemon" | "Host" | "Network" | "Service" | "Subnet";
  entity_ids: string[];
  tag_id: string;
}

export interface Scan {
  id?: string | undefined;
  subnet_ids?: string[] | null | undefined;
  is_full_scan?: boolean | null | undefined;
}

export interface TaggedMeta {
  api_version: 1;
  server_version: string;
  etags: string[];
}

export interface Replay {
  since?: string | undefined;
  cursor?: string | undefined;
}

export interface ReachabilityTest {
  url: string;
  check_health?: boolean | undefined;
}

export interface BulkDeletion {
  requested_count: number;
  deleted_count: number;
}

export interface Meta {
  api_version: 1;
  server_version: string;
}

export interface Rotation {
  overlap_seconds?: number | undefined;
}

export interface IssuedToken {
  token: string;
  expires_at: string;
}

export interface OrganizationHistory {
  history_days: number | null;
}

export interface OrganizationPatch {
  name?: string | undefined;
}

export interface Rescan {
  id?: string | undefined;
}

export interface AffectedRecords {
  affected_count: number;
}

export interface AvailableIPAddresses {
  ip_addresses: string[];
}

export interface Readiness {
  status: "ok";
}

/** The body of a request to a webhook, distinguished by `type`. */
export type WebhookMessage = ChangesMessage | TestMessage;

/** The status and the parameters of every error. */
interface Errors {
  validation_failed: {
    status: 400;
    params: {
      issues: {
        path: string;
        message: string;
        code: string;
      }[];
      issue_count: number;
    };
  };
  request_malformed_json: {
    status: 400;
    params: {
      reason?: "broken_off" | "empty" | "not_utf8" | "trailing_comma" | undefined;
      line?: number | undefined;
      column?: number | undefined;
    };
  };
  request_malformed_xml: {
    status: 400;
    params: {
      line: number;
      problem: string;
    };
  };
  entity_reference_invalid: {
    status: 400;
    params: {
      entity: string;
      field: string;
      id?: string | undefined;
    };
  };
  auth_not_authenticated: {
    status: 401;
    params: {
      reason?:
        | "daemon_key"
        | "in_url"
        | "invalid_token"
        | "malformed"
        | "missing"
        | "operator_key"
        | "other_header"
        | "other_scheme"
        | undefined;
    };
  };
  auth_key_expired: {
    status: 401;
    params: {
      expired_at: string;
    };
  };
  auth_key_disabled: {
    status: 401;
    params: {
      [x: string]: never;
    };
  };
  auth_token_expired: {
    status: 401;
    params: {
      expired_at: string;
    };
  };
  organization_suspended: {
    status: 403;
    params: {
      deletes_at?: string | undefined;
    };
  };
  auth_operator_required: {
    status: 403;
    params: {
      [x: string]: never;
    };
  };
  auth_permission_denied: {
    status: 403;
    params: {
      required_role: "Admin" | "Member" | "Owner" | "Viewer";
      role: "Admin" | "Member" | "Owner" | "Viewer";
    };
  };
  auth_scope_denied: {
    status: 403;
    params: {
      reason?: "expires_earlier" | "replaced_plaintext" | "token" | undefined;
      expires_at?: string | undefined;
    };
  };
  entity_not_found: {
    status: 404;
    params: {
      entity: string;
      id: string;
      field?: string | undefined;
    };
  };
  route_not_found: {
    status: 404;
    params: {
      method: string;
      path: string;
      nearest?: string | undefined;
    };
  };
  method_not_allowed: {
    status: 405;
    params: {
      method: string;
      allowed: string[];
      nearest?: string | undefined;
    };
  };
  request_not_acceptable: {
    status: 406;
    params: {
      media_types: string[];
    };
  };
  request_conflict: {
    status: 409;
    params: {
      [x: string]: never;
    };
  };
  entity_already_exists: {
    status: 409;
    params: {
      entity: string;
      field: string;
      id: string;
    };
  };
  entity_in_use: {
    status: 409;
    params: {
      entity: string;
      id: string;
      used_by: {
        [x: string]: number;
      };
    };
  };
  subnet_full: {
    status: 409;
    params: {
      id: string;
      available: number;
      requested: number;
    };
  };
  deletion_too_large: {
    status: 409;
    params: {
      entity: "Host" | "Network" | "Subnet";
      maximum: number;
    };
  };
  export_too_large: {
    status: 409;
    params: {
      maximum: number;
      unit: "bytes" | "groups" | "hosts" | "members";
    };
  };
  range_too_large: {
    status: 409;
    params: {
      versions: number;
      maximum: number;
    };
  };
  topology_too_large: {
    status: 409;
    params: {
      hosts: number;
      edges: number;
    };
  };
  history_expired: {
    status: 410;
    params: {
      history_from: string;
    };
  };
  cursor_expired: {
    status: 410;
    params: {
      history_from: string;
    };
  };
  precondition_failed: {
    status: 412;
    params: {
      etag?: string | undefined;
      reason?: "exists" | "missing" | undefined;
      is_weak?: boolean | undefined;
    };
  };
  binding_conflict: {
    status: 409;
    params: {
      id: string;
    };
  };
  scan_ended: {
    status: 409;
    params: {
      id: string;
      phase: string;
    };
  };
  no_daemon: {
    status: 409;
    params: {
      id: string;
    };
  };
  too_many_scans: {
    status: 409;
    params: {
      id: string;
      maximum: number;
    };
  };
  idempotency_key_reused: {
    status: 422;
    params: {
      [x: string]: never;
    };
  };
  request_timeout: {
    status: 408;
    params: {
      [x: string]: never;
    };
  };
  request_too_large: {
    status: 413;
    params: {
      max_bytes: number;
      reason?: "records" | undefined;
    };
  };
  request_unsupported_media_type: {
    status: 415;
    params: {
      media_types: string[];
    };
  };
  rate_limit_exceeded: {
    status: 429;
    params: {
      retry_after_seconds: number;
      limit?:
        | "audit_entries_of_organization"
        | "scans_of_daemon"
        | "scans_of_organization"
        | "tests_of_webhook"
        | "tokens_of_key"
        | "versions_of_organization"
        | undefined;
    };
  };
  internal_error: {
    status: 500;
    params: {
      request_id: string;
    };
  };
  service_unavailable: {
    status: 503;
    params: {
      retry_after_seconds: number;
      outcome: "unchanged" | "unknown";
      advice: "read_first" | "repeat" | "repeat_with_same_key" | "send_less";
    };
  };
}

/** A success response in the format of Hono's client, which does not accept an interface here. */
type Success<Input, Output, Status> = {
  input: Input;
  output: Output;
  outputFormat: Output extends string ? "text" : "json";
  status: Status;
};

type Envelope<Data, Metadata = Meta> = { success: true; data: Data; meta: Metadata };

type ServiceError = "internal_error" | "service_unavailable";
type KeyError =
  | "auth_key_disabled"
  | "auth_key_expired"
  | "auth_not_authenticated"
  | "rate_limit_exceeded";
type PermissionError = "auth_permission_denied" | "auth_scope_denied";
type BodyError =
  | "request_malformed_json"
  | "request_timeout"
  | "request_too_large"
  | "request_unsupported_media_type"
  | "validation_failed";

/** The failure responses. */
type Failure<Input, Code extends keyof Errors> = {
  [Each in Code]: {
    input: Input;
    output: {
      success: false;
      code: Each;
      error: string;
      params: Errors[Each]["params"];
      meta: Meta & { request_id: string };
    };
    outputFormat: "json";
    status: Errors[Each]["status"];
  };
}[Code];

type Responses<Input, Output, Status, Code extends keyof Errors> =
  | Success<Input, Output, Status>
  | Failure<Input, Code>;

/** Every endpoint, by path and method. */
type Endpoints = {
  "/api/health": { $get: Responses<{}, Envelope<string>, 200, ServiceError> };
  "/api/health/ready": {
    $get: Responses<{}, Envelope<Readiness>, 200, ServiceError | "rate_limit_exceeded">;
  };
  "/api/version": { $get: Responses<{}, Envelope<Meta>, 200, ServiceError> };
  "/api/v1/auth/whoami": {
    $get: Responses<
      {},
      Envelope<Caller>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_operator_required"
      | "auth_token_expired"
      | "binding_conflict"
      | "cursor_expired"
      | "deletion_too_large"
      | "entity_already_exists"
      | "entity_in_use"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "export_too_large"
      | "history_expired"
      | "idempotency_key_reused"
      | "method_not_allowed"
      | "no_daemon"
      | "organization_suspended"
      | "precondition_failed"
      | "range_too_large"
      | "request_conflict"
      | "request_malformed_xml"
      | "request_not_acceptable"
      | "route_not_found"
      | "scan_ended"
      | "subnet_full"
      | "too_many_scans"
      | "topology_too_large"
    >;
  };
  "/api/v1/auth/keys": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "last_used_at" | "name" | "permissions" | "updated_at";
              order_by?: "created_at" | "last_used_at" | "name" | "permissions" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly is_enabled?: "false" | "true";
              readonly name?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<ApiKey[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "last_used_at" | "name" | "permissions" | "updated_at";
              order_by?: "created_at" | "last_used_at" | "name" | "permissions" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly is_enabled?: "false" | "true";
              readonly name?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: ApiKeyInput;
      },
      Envelope<{
        key: string | null;
        api_key: ApiKey;
      }>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/auth/keys/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: ApiKeyInput[];
      },
      Envelope<
        {
          key: string | null;
          api_key: ApiKey;
        }[]
      >,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/auth/keys/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_in_use"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/auth/keys/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<ApiKey>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: ApiKeyInput;
        param: {
          id: string;
        };
      },
      Envelope<ApiKey>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_in_use"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: ApiKeyPatch;
        param: {
          id: string;
        };
      },
      Envelope<ApiKey>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_in_use"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_in_use"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/auth/keys/:id/rotate": {
    $post: Responses<
      {
        json: Rotation;
        param: {
          id: string;
        };
      },
      Envelope<IssuedApiKey>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/auth/tokens": {
    $post: Responses<
      {
        json: TokenInput;
      },
      Envelope<IssuedToken>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/organizations": {
    $get:
      | Responses<
          {
            query?: {
              limit?: unknown;
              offset?: unknown;
              all?: "false" | "true" | undefined;
              cursor?: string | undefined;
              state?: "active" | "deleted" | "suspended" | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Organization>,
          200,
          | ServiceError
          | KeyError
          | "auth_operator_required"
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              limit?: unknown;
              offset?: unknown;
              all?: "false" | "true" | undefined;
              cursor?: string | undefined;
              state?: "active" | "deleted" | "suspended" | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        json: OrganizationInput;
      },
      Envelope<CreatedOrganization>,
      201,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_operator_required"
      | "auth_token_expired"
      | "entity_already_exists"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/organizations/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Organization>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json:
          | string
          | {
              name: string;
            };
        param: {
          id: string;
        };
      },
      Envelope<Organization>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: OrganizationPatch;
        param: {
          id: string;
        };
      },
      Envelope<Organization>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        param: {
          id: string;
        };
      },
      Envelope<ManagedOrganization>,
      200,
      | ServiceError
      | KeyError
      | "auth_operator_required"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/organizations/:id/suspend": {
    $post: Responses<
      {
        param: {
          id: string;
        };
      },
      Envelope<ManagedOrganization>,
      200,
      | ServiceError
      | KeyError
      | "auth_operator_required"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/organizations/:id/resume": {
    $post: Responses<
      {
        param: {
          id: string;
        };
      },
      Envelope<ManagedOrganization>,
      200,
      | ServiceError
      | KeyError
      | "auth_operator_required"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/organizations/:id/usage": {
    $get: Responses<
      {
        query?: {
          from?: string | undefined;
          to?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<Usage>,
      200,
      | ServiceError
      | KeyError
      | "auth_operator_required"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/organizations/:id/history": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: OrganizationHistory;
        param: {
          id: string;
        };
      },
      Envelope<Organization>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/networks": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "name" | "updated_at";
              order_by?: "created_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly tag_ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Network[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "name" | "updated_at";
              order_by?: "created_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly tag_ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: NetworkInput;
      },
      Envelope<Network>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/networks/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: NetworkInput[];
      },
      Envelope<Network[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedNetworkPatch[];
      },
      Envelope<Network[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/networks/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_in_use"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/networks/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: NetworkInput;
        param: {
          external_id: string;
        };
      },
      Envelope<Network>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/networks/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Network>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: NetworkInput;
        param: {
          id: string;
        };
      },
      Envelope<Network>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: NetworkPatch;
        param: {
          id: string;
        };
      },
      Envelope<Network>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        query?: {
          cascade?: "false" | "true" | undefined;
        };
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "deletion_too_large"
      | "entity_in_use"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/networks/:id/imports": {
    $post: Responses<
      {
        query?: {
          dry_run?: "false" | "true" | undefined;
        };
        json: ImportInput;
        param: {
          id: string;
        };
      },
      Envelope<ImportResult>,
      200,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "request_malformed_xml"
    >;
  };
  "/api/v1/tags": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "color" | "created_at" | "name" | "updated_at";
              order_by?: "color" | "created_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Tag[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "color" | "created_at" | "name" | "updated_at";
              order_by?: "color" | "created_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: TagInput;
      },
      Envelope<Tag>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: TagInput[];
      },
      Envelope<Tag[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedTagPatch[];
      },
      Envelope<Tag[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/assign": {
    $put: Responses<
      {
        json: AssignedTags;
      },
      Envelope<AssignedTags>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/assign/bulk-add": {
    $post: Responses<
      {
        json: BulkTagAssignment;
      },
      Envelope<AffectedRecords>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/assign/bulk-remove": {
    $post: Responses<
      {
        json: BulkTagAssignment;
      },
      Envelope<AffectedRecords>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: TagInput;
        param: {
          external_id: string;
        };
      },
      Envelope<Tag>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/tags/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Tag>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: TagInput;
        param: {
          id: string;
        };
      },
      Envelope<Tag>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: TagPatch;
        param: {
          id: string;
        };
      },
      Envelope<Tag>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/credentials": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "name" | "type" | "updated_at";
              order_by?: "created_at" | "name" | "type" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly type?: string;
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Credential[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "name" | "type" | "updated_at";
              order_by?: "created_at" | "name" | "type" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly type?: string;
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: CredentialCreation;
      },
      Envelope<Credential>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/credentials/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: CredentialCreation[];
      },
      Envelope<Credential[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedCredentialPatch[];
      },
      Envelope<Credential[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/credentials/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/credentials/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: CredentialInput;
        param: {
          external_id: string;
        };
      },
      Envelope<Credential>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/credentials/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Credential>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: CredentialInput;
        param: {
          id: string;
        };
      },
      Envelope<Credential>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: CredentialPatch;
        param: {
          id: string;
        };
      },
      Envelope<Credential>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/daemons": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "last_seen" | "name" | "network_id" | "updated_at";
              order_by?: "created_at" | "last_seen" | "name" | "network_id" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly tag_ids?: string[] | string;
              readonly is_unreachable?: "false" | "true";
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Daemon[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "last_seen" | "name" | "network_id" | "updated_at";
              order_by?: "created_at" | "last_seen" | "name" | "network_id" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly tag_ids?: string[] | string;
              readonly is_unreachable?: "false" | "true";
              readonly name?: string;
              readonly external_id?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/daemons/provision": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: DaemonProvision;
      },
      Envelope<ProvisionedDaemon>,
      201,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/daemons/test-reachability": {
    $post: Responses<
      {
        json: ReachabilityTest;
      },
      Envelope<Reachability>,
      200,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/daemons/bulk": {
    $patch: Responses<
      {
        json: IdentifiedDaemonPatch[];
      },
      Envelope<Daemon[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/daemons/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/daemons/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: DaemonInput;
        param: {
          external_id: string;
        };
      },
      Envelope<ProvisionedDaemon>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/daemons/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Daemon>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: DaemonInput;
        param: {
          id: string;
        };
      },
      Envelope<Daemon>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: DaemonPatch;
        param: {
          id: string;
        };
      },
      Envelope<Daemon>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/daemons/:id/retry-connection": {
    $post: Responses<
      {
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/daemons/:id/scan": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: Scan;
        param: {
          id: string;
        };
      },
      Envelope<DiscoverySession>,
      201,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
      | "too_many_scans"
    >;
  };
  "/api/v1/discovery/sessions": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "phase" | "updated_at";
              order_by?: "created_at" | "phase" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly daemon_id?: string;
              readonly network_id?: string;
              readonly phase?:
                | "Cancelled"
                | "Complete"
                | "Failed"
                | "Pending"
                | "Queued"
                | "Scanning"
                | "Started"
                | "Starting";
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<DiscoverySession[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "phase" | "updated_at";
              order_by?: "created_at" | "phase" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly daemon_id?: string;
              readonly network_id?: string;
              readonly phase?:
                | "Cancelled"
                | "Complete"
                | "Failed"
                | "Pending"
                | "Queued"
                | "Scanning"
                | "Started"
                | "Starting";
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/discovery/sessions/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<DiscoverySession>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/discovery/sessions/:id/cancel": {
    $post: Responses<
      {
        param: {
          id: string;
        };
      },
      Envelope<DiscoverySession>,
      200,
      | ServiceError
      | KeyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "scan_ended"
      | "validation_failed"
    >;
  };
  "/api/v1/subnets": {
    $get:
      | Responses<
          {
            query?: {
              group_by?:
                | "cidr"
                | "created_at"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "subnet_type"
                | "updated_at";
              order_by?:
                | "cidr"
                | "created_at"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "subnet_type"
                | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly tag_ids?: string[] | string;
              readonly cidr?: string;
              readonly contains?: string;
              readonly within?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Subnet[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?:
                | "cidr"
                | "created_at"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "subnet_type"
                | "updated_at";
              order_by?:
                | "cidr"
                | "created_at"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "subnet_type"
                | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly tag_ids?: string[] | string;
              readonly cidr?: string;
              readonly contains?: string;
              readonly within?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: SubnetInput;
      },
      Envelope<Subnet>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/subnets/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: SubnetInput[];
      },
      Envelope<Subnet[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedSubnetPatch[];
      },
      Envelope<Subnet[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_in_use"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/subnets/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "deletion_too_large"
      | "entity_in_use"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/subnets/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: SubnetInput;
        param: {
          external_id: string;
        };
      },
      Envelope<Subnet>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_in_use"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/subnets/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Subnet>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: SubnetInput;
        param: {
          id: string;
        };
      },
      Envelope<Subnet>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_in_use"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: SubnetPatch;
        param: {
          id: string;
        };
      },
      Envelope<Subnet>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_in_use"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "deletion_too_large"
      | "entity_in_use"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/subnets/:id/available-ips": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<AvailableIPAddresses>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: TakeIPAddresses;
        param: {
          id: string;
        };
      },
      Envelope<HostIPAddress[]>,
      201,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
      | "subnet_full"
    >;
  };
  "/api/v1/subnets/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/hosts": {
    $get:
      | Responses<
          {
            query?: {
              group_by?:
                | "created_at"
                | "hostname"
                | "interface_ip"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "updated_at"
                | "virtualized_by";
              order_by?:
                | "created_at"
                | "hostname"
                | "interface_ip"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "updated_at"
                | "virtualized_by";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly ids?: string[] | string;
              include_children?: "false" | "true";
              readonly network_id?: string;
              readonly tag_ids?: string[] | string;
              readonly service?: string;
              readonly port?: string;
              readonly stale?: "false" | "true";
              readonly name?: string;
              readonly external_id?: string;
              readonly ip?: string;
              readonly cidr?: string;
              readonly mac?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Host[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?:
                | "created_at"
                | "hostname"
                | "interface_ip"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "updated_at"
                | "virtualized_by";
              order_by?:
                | "created_at"
                | "hostname"
                | "interface_ip"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "updated_at"
                | "virtualized_by";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly ids?: string[] | string;
              include_children?: "false" | "true";
              readonly network_id?: string;
              readonly tag_ids?: string[] | string;
              readonly service?: string;
              readonly port?: string;
              readonly stale?: "false" | "true";
              readonly name?: string;
              readonly external_id?: string;
              readonly ip?: string;
              readonly cidr?: string;
              readonly mac?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: HostInput;
      },
      Envelope<Host>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/hosts/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: HostInput[];
      },
      Envelope<Host[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedHostPatch[];
      },
      Envelope<Host[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/hosts/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "deletion_too_large"
      | "entity_in_use"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/hosts/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: HostReplacement;
        param: {
          external_id: string;
        };
      },
      Envelope<Host>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/hosts/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Host>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: HostReplacement;
        param: {
          id: string;
        };
      },
      Envelope<Host>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: HostPatch;
        param: {
          id: string;
        };
      },
      Envelope<Host>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_in_use"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/hosts/:id/imports": {
    $post: Responses<
      {
        query?: {
          dry_run?: "false" | "true" | undefined;
          complete?: "false" | "true" | undefined;
        };
        json: {
          lldp: unknown;
        };
        param: {
          id: string;
        };
      },
      Envelope<ImportResult>,
      200,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/hosts/:id/rescan": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: Rescan;
        param: {
          id: string;
        };
      },
      Envelope<DiscoverySession>,
      201,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "idempotency_key_reused"
      | "no_daemon"
      | "organization_suspended"
      | "request_conflict"
      | "too_many_scans"
    >;
  };
  "/api/v1/hosts/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
          include_children?: "false" | "true" | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/hosts/:id/consolidate/:other_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
          other_id: string;
        };
      },
      Envelope<Host>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/ip-addresses": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "ip_address" | "last_seen_at" | "name" | "updated_at";
              order_by?: "created_at" | "ip_address" | "last_seen_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly host_id?: string;
              readonly subnet_id?: string;
              readonly ip?: string;
              readonly cidr?: string;
              readonly mac?: string;
              readonly status?: "Active" | "Deprecated" | "Reserved";
              readonly role?: "Anycast" | "Dhcp" | "Gateway" | "Vip";
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<HostIPAddress[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "ip_address" | "last_seen_at" | "name" | "updated_at";
              order_by?: "created_at" | "ip_address" | "last_seen_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly host_id?: string;
              readonly subnet_id?: string;
              readonly ip?: string;
              readonly cidr?: string;
              readonly mac?: string;
              readonly status?: "Active" | "Deprecated" | "Reserved";
              readonly role?: "Anycast" | "Dhcp" | "Gateway" | "Vip";
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: IPAddressInput;
      },
      Envelope<HostIPAddress>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/ip-addresses/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: IPAddressInput[];
      },
      Envelope<HostIPAddress[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedIPAddressPatch[];
      },
      Envelope<HostIPAddress[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/ip-addresses/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/ip-addresses/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<HostIPAddress>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: IPAddressInput;
        param: {
          id: string;
        };
      },
      Envelope<HostIPAddress>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: IPAddressPatch;
        param: {
          id: string;
        };
      },
      Envelope<HostIPAddress>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/ip-addresses/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/interfaces": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              last_seen_after?: string;
              last_seen_before?: string;
              network_id?: string;
              ids?: string[] | string;
              host_id?: string;
              if_index?: string;
              mac?: string;
              q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Interface[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              last_seen_after?: string;
              last_seen_before?: string;
              network_id?: string;
              ids?: string[] | string;
              host_id?: string;
              if_index?: string;
              mac?: string;
              q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: InterfaceInput;
      },
      Envelope<Interface>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/interfaces/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: InterfaceInput[];
      },
      Envelope<Interface[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedInterfacePatch[];
      },
      Envelope<Interface[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/interfaces/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/interfaces/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Interface>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: InterfaceInput;
        param: {
          id: string;
        };
      },
      Envelope<Interface>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: InterfacePatch;
        param: {
          id: string;
        };
      },
      Envelope<Interface>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/interfaces/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/neighbors": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "last_seen_at" | "protocol" | "system_name" | "updated_at";
              order_by?: "created_at" | "last_seen_at" | "protocol" | "system_name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly host_id?: string;
              readonly interface_id?: string;
              readonly protocol?: "Cdp" | "Fdb" | "Lldp";
              readonly mac?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Neighbor[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "last_seen_at" | "protocol" | "system_name" | "updated_at";
              order_by?: "created_at" | "last_seen_at" | "protocol" | "system_name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly host_id?: string;
              readonly interface_id?: string;
              readonly protocol?: "Cdp" | "Fdb" | "Lldp";
              readonly mac?: string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: NeighborInput;
      },
      Envelope<Neighbor>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/neighbors/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: NeighborInput[];
      },
      Envelope<Neighbor[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedNeighborPatch[];
      },
      Envelope<Neighbor[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/neighbors/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/neighbors/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Neighbor>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: NeighborInput;
        param: {
          id: string;
        };
      },
      Envelope<Neighbor>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: NeighborPatch;
        param: {
          id: string;
        };
      },
      Envelope<Neighbor>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/neighbors/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/ports": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "last_seen_at" | "number" | "updated_at";
              order_by?: "created_at" | "last_seen_at" | "number" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly host_id?: string;
              readonly number?: string;
              readonly protocol?: "Tcp" | "Udp";
              readonly is_open?: "false" | "true";
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Port[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "last_seen_at" | "number" | "updated_at";
              order_by?: "created_at" | "last_seen_at" | "number" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly host_id?: string;
              readonly number?: string;
              readonly protocol?: "Tcp" | "Udp";
              readonly is_open?: "false" | "true";
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: PortInput;
      },
      Envelope<Port>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/ports/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: PortInput[];
      },
      Envelope<Port[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedPortPatch[];
      },
      Envelope<Port[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/ports/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/ports/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Port>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: PortInput;
        param: {
          id: string;
        };
      },
      Envelope<Port>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: PortPatch;
        param: {
          id: string;
        };
      },
      Envelope<Port>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/ports/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/services": {
    $get:
      | Responses<
          {
            query?: {
              group_by?:
                | "created_at"
                | "host"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "position"
                | "updated_at";
              order_by?:
                | "created_at"
                | "host"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "position"
                | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly host_id?: string;
              readonly tag_ids?: string[] | string;
              readonly port?: string;
              readonly is_open?: "false" | "true";
              readonly exclude_categories?: string[] | string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Service[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?:
                | "created_at"
                | "host"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "position"
                | "updated_at";
              order_by?:
                | "created_at"
                | "host"
                | "last_seen_at"
                | "name"
                | "network_id"
                | "position"
                | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly network_id?: string;
              readonly ids?: string[] | string;
              readonly name?: string;
              readonly external_id?: string;
              readonly host_id?: string;
              readonly tag_ids?: string[] | string;
              readonly port?: string;
              readonly is_open?: "false" | "true";
              readonly exclude_categories?: string[] | string;
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: ServiceInput;
      },
      Envelope<Service>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/services/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: ServiceInput[];
      },
      Envelope<Service[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedServicePatch[];
      },
      Envelope<Service[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/services/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/services/by-external-id/:external_id": {
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
          "if-none-match"?: string | undefined;
        };
        json: ServiceInput;
        param: {
          external_id: string;
        };
      },
      Envelope<Service>,
      200 | 201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
  };
  "/api/v1/services/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Service>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: ServiceInput;
        param: {
          id: string;
        };
      },
      Envelope<Service>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: ServicePatch;
        param: {
          id: string;
        };
      },
      Envelope<Service>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/services/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/changes": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          since?: string | undefined;
          until?: string | undefined;
          network_id?: string | undefined;
          entity?: string[] | string | undefined;
          host_id?: string | undefined;
          entity_id?: string | undefined;
          change?: string[] | string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
          wait?: string | undefined;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "history_expired"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/changes/histogram": {
    $get:
      | Responses<
          {
            query?: {
              from?: string | undefined;
              to?: string | undefined;
              buckets?: string | undefined;
              network_id?: string[] | string | undefined;
              entity?: string[] | string | undefined;
              host_id?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<ChangeHistogram>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              from?: string | undefined;
              to?: string | undefined;
              buckets?: string | undefined;
              network_id?: string[] | string | undefined;
              entity?: string[] | string | undefined;
              host_id?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/diff": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
          offset?: string | undefined;
          from?: string | undefined;
          from_session?: string | undefined;
          to?: string | undefined;
          to_session?: string | undefined;
          network_id?: string | undefined;
          entity?: string[] | string | undefined;
          host_id?: string | undefined;
          include?: string[] | string | undefined;
          by?: "host" | undefined;
        };
      },
      | {
          success: true;
          data: {
            from: string;
            to: string;
            counts: {
              Binding: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Host: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              IPAddress: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Interface: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Neighbor: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Port: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Service: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Subnet: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
            };
            items: {
              host_id: string;
              label: string;
              added: number;
              changed: number;
              removed: number;
              returned: number;
            }[];
          };
          meta: {
            api_version: 1;
            server_version: string;
            pagination: {
              total_count: number;
              limit: number;
              offset: number;
              has_more: boolean;
              next_cursor: string | null;
            };
            labels?:
              | {
                  readonly [x: string]: string;
                }
              | undefined;
          };
        }
      | {
          success: true;
          data: {
            from: string;
            to: string;
            counts: {
              Binding: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Host: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              IPAddress: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Interface: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Neighbor: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Port: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Service: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
              Subnet: {
                added: number;
                changed: number;
                removed: number;
                returned: number;
              };
            };
            items: {
              id: string;
              entity:
                | "Binding"
                | "Host"
                | "IPAddress"
                | "Interface"
                | "Neighbor"
                | "Port"
                | "Service"
                | "Subnet";
              entity_id: string;
              host_id: string | null;
              network_id: string;
              label: string;
              changed: string[];
              source:
                | {
                    type: "Discovery";
                    metadata: {}[];
                  }
                | {
                    type: "Manual";
                  }
                | {
                    type: "System";
                  }
                | {
                    type: "Import";
                  };
              discovery_id: string | null;
              actor: {
                type: "daemon" | "import" | "key" | "operator" | "system" | "token";
                id: string | null;
                name: string | null;
              };
              request_id: string | null;
              change: "added" | "changed" | "removed" | "returned";
              at: string;
              host_label: string | null;
              label_before: string | null;
              before: {
                [x: string]:
                  | number
                  | string[]
                  | string
                  | {
                      [x: string]:
                        | {}[]
                        | string
                        | {
                            [x: string]: string | null;
                          };
                    }
                  | null;
              } | null;
              after: {
                [x: string]:
                  | number
                  | string[]
                  | string
                  | {
                      [x: string]:
                        | {}[]
                        | string
                        | {
                            [x: string]: string | null;
                          };
                    }
                  | null;
              } | null;
            }[];
          };
          meta: {
            api_version: 1;
            server_version: string;
            pagination: {
              total_count: number;
              limit: number;
              offset: number;
              has_more: boolean;
              next_cursor: string | null;
            };
            labels?:
              | {
                  readonly [x: string]: string;
                }
              | undefined;
          };
        },
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "entity_reference_invalid"
      | "history_expired"
      | "organization_suspended"
      | "range_too_large"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/audit": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          entity?: string[] | string | undefined;
          entity_id?: string | undefined;
          actor_id?: string | undefined;
          limit?: string | undefined;
        };
      },
      Envelope<AuditEntry[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/search": {
    $get: Responses<
      {
        query: {
          q: string;
          kinds?: string[] | string | undefined;
          network_id?: string | undefined;
          limit?: string | undefined;
        };
      },
      Envelope<SearchResult[]>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/summary": {
    $get:
      | Responses<
          {
            query?: {
              network_id?: string | undefined;
              at?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Summary>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              network_id?: string | undefined;
              at?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/topology": {
    $get:
      | Responses<
          {
            query?: {
              layer?: "l2" | "l3" | "services" | undefined;
              network_id?: string[] | string | undefined;
              at?: string | undefined;
              detail?: "hosts" | "subnets" | undefined;
              host_id?: string | undefined;
              depth?: string | undefined;
              subnet_id?: string | undefined;
              tag_ids?: string[] | string | undefined;
              vlan?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Topology>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "topology_too_large"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              layer?: "l2" | "l3" | "services" | undefined;
              network_id?: string[] | string | undefined;
              at?: string | undefined;
              detail?: "hosts" | "subnets" | undefined;
              host_id?: string | undefined;
              depth?: string | undefined;
              subnet_id?: string | undefined;
              tag_ids?: string[] | string | undefined;
              vlan?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/topology/data": {
    $get:
      | Responses<
          {
            query: {
              network_id: string;
              at?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<TopologyData>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "topology_too_large"
          | "validation_failed"
        >
      | {
          input: {
            query: {
              network_id: string;
              at?: string | undefined;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/topology/:id/export/mermaid": {
    $get: Responses<
      {
        query?: {
          view?: "L2Physical" | "L3Logical" | "Workloads" | undefined;
        };
        param: {
          id: string;
        };
      },
      string,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "topology_too_large"
      | "validation_failed"
    >;
  };
  "/api/v1/topologies": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
          offset?: string | undefined;
          network_id?: string | undefined;
        };
      },
      Envelope<NetworkTopology[], ListMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
      | "request_not_acceptable"
      | "validation_failed"
    >;
  };
  "/api/v1/vlans": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
          offset?: string | undefined;
          network_id?: string | undefined;
          at?: string | undefined;
          fields?: string | undefined;
          include?: "labels" | undefined;
        };
      },
      Envelope<Vlan[], ListMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "history_expired"
      | "organization_suspended"
      | "request_conflict"
      | "request_not_acceptable"
      | "validation_failed"
    >;
  };
  "/api/v1/exports/prometheus": {
    $get: Responses<
      {
        query?: {
          network_id?: string | undefined;
          tag_ids?: string[] | string | undefined;
          service?: string | undefined;
          port?: string | undefined;
          stale?: "false" | "true" | undefined;
        };
      },
      {
        targets: string[];
        labels: {
          [x: string]: string;
        };
      }[],
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "export_too_large"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/exports/ansible": {
    $get: Responses<
      {
        query?: {
          network_id?: string | undefined;
          tag_ids?: string[] | string | undefined;
          service?: string | undefined;
          port?: string | undefined;
          stale?: "false" | "true" | undefined;
        };
      },
      {
        [x: string]: {
          hosts?: string[] | undefined;
          hostvars?: undefined;
        };
      },
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "export_too_large"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/exports/oxidized": {
    $get: Responses<
      {
        query?: {
          network_id?: string | undefined;
          tag_ids?: string[] | string | undefined;
          service?: string | undefined;
          port?: string | undefined;
          stale?: "false" | "true" | undefined;
        };
      },
      {
        name: string;
        ip?: string | undefined;
        model?: string | undefined;
        group: string;
      }[],
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "export_too_large"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/exports/hosts": {
    $get: Responses<
      {
        query?: {
          network_id?: string | undefined;
          tag_ids?: string[] | string | undefined;
          service?: string | undefined;
          port?: string | undefined;
          stale?: "false" | "true" | undefined;
        };
      },
      string,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "export_too_large"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/webhooks": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "name" | "updated_at";
              order_by?: "created_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly is_enabled?: "false" | "true";
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Webhook[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "name" | "updated_at";
              order_by?: "created_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              readonly ids?: string[] | string;
              readonly is_enabled?: "false" | "true";
              readonly q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: WebhookInput;
      },
      Envelope<{
        secret: string | null;
        webhook: Webhook;
      }>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/webhooks/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/webhooks/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Webhook>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: WebhookInput;
        param: {
          id: string;
        };
      },
      Envelope<Webhook>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: WebhookPatch;
        param: {
          id: string;
        };
      },
      Envelope<Webhook>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/webhooks/:id/rotate": {
    $post: Responses<
      {
        json: Rotation;
        param: {
          id: string;
        };
      },
      Envelope<IssuedWebhook>,
      200,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/webhooks/:id/test": {
    $post: Responses<
      {
        param: {
          id: string;
        };
      },
      Envelope<WebhookTrial>,
      200,
      | ServiceError
      | KeyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/webhooks/:id/replay": {
    $post: Responses<
      {
        json: Replay;
        param: {
          id: string;
        };
      },
      Envelope<Webhook>,
      200,
      | ServiceError
      | KeyError
      | BodyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "history_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/webhooks/:id/deliveries": {
    $get: Responses<
      {
        query?: {
          state?: "delivered" | "failed" | "retrying" | undefined;
          cursor?: string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<WebhookDelivery[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/webhooks/:id/deliveries/:delivery_id/retry": {
    $post: Responses<
      {
        param: {
          id: string;
          delivery_id: string;
        };
      },
      Envelope<WebhookDelivery>,
      200,
      | ServiceError
      | KeyError
      | "auth_permission_denied"
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/auth/daemon": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
          offset?: string | undefined;
          network_id?: unknown;
        };
      },
      Envelope<{}[], ListMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
      | "request_not_acceptable"
      | "validation_failed"
    >;
  };
  "/api/v1/dependencies": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
          offset?: string | undefined;
          network_id?: unknown;
        };
      },
      Envelope<{}[], ListMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
      | "request_not_acceptable"
      | "validation_failed"
    >;
  };
  "/api/v1/discovery": {
    $get: Responses<
      {
        query?: {
          limit?: string | undefined;
          offset?: string | undefined;
          network_id?: unknown;
        };
      },
      Envelope<{}[], ListMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
      | "request_not_acceptable"
      | "validation_failed"
    >;
  };
  "/api/v1/if-entries": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              last_seen_after?: string;
              last_seen_before?: string;
              network_id?: string;
              ids?: string[] | string;
              host_id?: string;
              if_index?: string;
              mac?: string;
              q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<IfEntry[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_by?: "created_at" | "if_index" | "last_seen_at" | "name" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              last_seen_after?: string;
              last_seen_before?: string;
              network_id?: string;
              ids?: string[] | string;
              host_id?: string;
              if_index?: string;
              mac?: string;
              q?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
  };
  "/api/v1/bindings": {
    $get:
      | Responses<
          {
            query?: {
              group_by?: "created_at" | "last_seen_at" | "updated_at";
              order_by?: "created_at" | "last_seen_at" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly ids?: string[] | string;
              readonly q?: string;
              readonly service_id?: string;
              readonly network_id?: string;
              readonly port_id?: string;
              readonly ip_address_id?: string;
              readonly host_id?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          },
          Envelope<Binding[], ListMeta>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "cursor_expired"
          | "history_expired"
          | "organization_suspended"
          | "request_conflict"
          | "request_not_acceptable"
          | "validation_failed"
        >
      | {
          input: {
            query?: {
              group_by?: "created_at" | "last_seen_at" | "updated_at";
              order_by?: "created_at" | "last_seen_at" | "updated_at";
              order_direction?: "asc" | "desc";
              limit?: string;
              offset?: string;
              cursor?: string;
              fields?: string;
              include?: "labels";
              at?: string;
              readonly last_seen_after?: string;
              readonly last_seen_before?: string;
              readonly ids?: string[] | string;
              readonly q?: string;
              readonly service_id?: string;
              readonly network_id?: string;
              readonly port_id?: string;
              readonly ip_address_id?: string;
              readonly host_id?: string;
            };
            header?: {
              "if-none-match"?: string | undefined;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: BindingInput;
      },
      Envelope<Binding>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/bindings/bulk": {
    $post: Responses<
      {
        header?: {
          "idempotency-key"?: string | undefined;
        };
        json: BindingInput[];
      },
      Envelope<Binding[]>,
      201,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_already_exists"
      | "entity_reference_invalid"
      | "idempotency_key_reused"
      | "organization_suspended"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        json: IdentifiedBindingPatch[];
      },
      Envelope<Binding[], TaggedMeta>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/bindings/bulk-delete": {
    $post: Responses<
      {
        json: string[];
      },
      Envelope<BulkDeletion>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "organization_suspended"
      | "request_conflict"
    >;
  };
  "/api/v1/bindings/:id": {
    $get:
      | Responses<
          {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          },
          Envelope<Binding>,
          200,
          | ServiceError
          | KeyError
          | "auth_token_expired"
          | "entity_not_found"
          | "organization_suspended"
          | "request_conflict"
          | "validation_failed"
        >
      | {
          input: {
            header?: {
              "if-none-match"?: string | undefined;
            };
            param: {
              id: string;
            };
          };
          output: never;
          outputFormat: "json";
          status: 304;
        };
    $put: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: BindingInput;
        param: {
          id: string;
        };
      },
      Envelope<Binding>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $patch: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        json: BindingPatch;
        param: {
          id: string;
        };
      },
      Envelope<Binding>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | BodyError
      | "auth_token_expired"
      | "binding_conflict"
      | "entity_not_found"
      | "entity_reference_invalid"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
    >;
    $delete: Responses<
      {
        header?: {
          "if-match"?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<{}>,
      200,
      | ServiceError
      | KeyError
      | PermissionError
      | "auth_token_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "precondition_failed"
      | "request_conflict"
      | "validation_failed"
    >;
  };
  "/api/v1/bindings/:id/timeline": {
    $get: Responses<
      {
        query?: {
          cursor?: string | undefined;
          include?: string[] | string | undefined;
          limit?: string | undefined;
        };
        param: {
          id: string;
        };
      },
      Envelope<InventoryChange[], CursorMeta>,
      200,
      | ServiceError
      | KeyError
      | "auth_token_expired"
      | "cursor_expired"
      | "entity_not_found"
      | "organization_suspended"
      | "request_conflict"
      | "validation_failed"
    >;
  };
};

/** The API, for Hono's client: `hc<App>("https://api.example.com")`. */
export type App = Hono<Record<never, never>, Endpoints, "/">;
