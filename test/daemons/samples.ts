import type { Samples } from "../helpers/operations.ts";

export const samples: Samples = {
  "POST /api/v1/daemons/provision": ({ records }) => ({
    name: "After",
    network_id: records.networks,
    url: "https://daemon.example.com:60073",
    tags: [records.tags],
  }),
  "POST /api/v1/daemons/test-reachability": () => ({ url: "https://daemon.example.com:60073" }),
  "POST /api/v1/daemons/bulk-delete": ({ records }) => [records.daemons],
  "POST /api/v1/daemons/:id/scan": ({ records }) => ({
    subnet_ids: [records.subnets],
    is_full_scan: true,
  }),
  "PUT /api/v1/daemons/:id": ({ records }) => ({
    name: "After",
    network_id: records.networks,
    url: "https://daemon.example.com",
    tags: [records.tags],
    scan_schedule: { cron: "30 2 * * *", timezone: "UTC", is_full_scan: false },
  }),
};
