/**
 * A simulated Docker proxy with one container and the endpoints that a discovery daemon reads. Runs
 * as a program that takes the port as its argument. Prints each request.
 */
import { createServer } from "node:http";

const [, , port] = process.argv;

const containerId = "c0ffee".padEnd(64, "0");
const networkId = "beef".padEnd(64, "0");

const labels = { "com.docker.compose.project": "laboratory", "com.docker.compose.service": "web" };

const attachment = {
  IPAMConfig: null,
  Links: null,
  Aliases: null,
  NetworkID: networkId,
  EndpointID: "e0".padEnd(64, "0"),
  Gateway: "172.30.9.1",
  IPAddress: "172.30.9.2",
  IPPrefixLen: 24,
  IPv6Gateway: "",
  GlobalIPv6Address: "",
  GlobalIPv6PrefixLen: 0,
  MacAddress: "02:42:ac:1e:09:02",
  DriverOpts: null,
};

const container = {
  Id: containerId,
  Names: ["/laboratory-web-1"],
  Image: "nginx:1.27",
  ImageID: `sha256:${"a".repeat(64)}`,
  Command: "nginx -g 'daemon off;'",
  Created: 1_790_000_000,
  Ports: [{ IP: "0.0.0.0", PrivatePort: 80, PublicPort: 8088, Type: "tcp" }],
  Labels: labels,
  State: "running",
  Status: "Up 3 hours",
  HostConfig: { NetworkMode: "laboratory" },
  NetworkSettings: { Networks: { laboratory: attachment } },
  Mounts: [],
};

const inspected = {
  Id: containerId,
  Created: "2026-01-02T03:04:05.000000000Z",
  Path: "nginx",
  Args: ["-g", "daemon off;"],
  State: {
    Status: "running",
    Running: true,
    Paused: false,
    Restarting: false,
    OOMKilled: false,
    Dead: false,
    Pid: 4242,
    ExitCode: 0,
    Error: "",
    StartedAt: "2026-01-02T03:04:06.000000000Z",
    FinishedAt: "0001-01-01T00:00:00Z",
  },
  Image: `sha256:${"a".repeat(64)}`,
  Name: "/laboratory-web-1",
  RestartCount: 0,
  Driver: "overlay2",
  Platform: "linux",
  HostConfig: {
    NetworkMode: "laboratory",
    PortBindings: { "80/tcp": [{ HostIp: "", HostPort: "8088" }] },
  },
  Mounts: [],
  Config: {
    Hostname: "c0ffee000000",
    Domainname: "",
    User: "",
    ExposedPorts: { "80/tcp": {} },
    Env: [],
    Cmd: ["nginx", "-g", "daemon off;"],
    Image: "nginx:1.27",
    WorkingDir: "",
    Entrypoint: null,
    Labels: labels,
  },
  NetworkSettings: {
    Bridge: "",
    SandboxID: "",
    Ports: { "80/tcp": [{ HostIp: "0.0.0.0", HostPort: "8088" }] },
    SandboxKey: "",
    Networks: { laboratory: attachment },
  },
};

const network = {
  Name: "laboratory",
  Id: networkId,
  Created: "2026-01-02T03:04:00.000000000Z",
  Scope: "local",
  Driver: "bridge",
  EnableIPv6: false,
  IPAM: {
    Driver: "default",
    Options: null,
    Config: [{ Subnet: "172.30.9.0/24", Gateway: "172.30.9.1" }],
  },
  Internal: false,
  Attachable: false,
  Ingress: false,
  ConfigFrom: { Network: "" },
  ConfigOnly: false,
  Containers: {
    [containerId]: {
      Name: "laboratory-web-1",
      EndpointID: attachment.EndpointID,
      MacAddress: attachment.MacAddress,
      IPv4Address: "172.30.9.2/24",
      IPv6Address: "",
    },
  },
  Options: {},
  Labels: {},
};

const version = {
  Platform: { Name: "Docker Engine - Community" },
  Version: "27.3.1",
  ApiVersion: "1.47",
  MinAPIVersion: "1.24",
  GitCommit: "41ca978",
  GoVersion: "go1.22.7",
  Os: "linux",
  Arch: "amd64",
  KernelVersion: "6.1.0",
};

const answers = new Map<string, unknown>([
  ["/version", version],
  ["/info", { ID: "laboratory", Name: "docker-host", Containers: 1, ServerVersion: "27.3.1" }],
  ["/containers/json", [container]],
  [`/containers/${containerId}/json`, inspected],
  ["/networks", [network]],
  [`/networks/${networkId}`, network],
]);

createServer((request, response) => {
  const path = (request.url ?? "").replace(/\?.*/, "").replace(/^\/v1\.\d+/, "");
  console.log(`${request.method} ${request.url}`);
  if (path === "/_ping") {
    response.writeHead(200, { "Content-Type": "text/plain", "Api-Version": "1.47" }).end("OK");
    return;
  }
  const answer = answers.get(path);
  response
    .writeHead(answer === undefined ? 404 : 200, { "Content-Type": "application/json" })
    .end(JSON.stringify(answer ?? { message: "page not found" }));
}).listen(Number(port));
