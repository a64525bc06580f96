import { daemons } from "../database/tables/index.ts";
import { versionStatus } from "./version-status.ts";

/** What is read of a daemon to answer callers: everything but its lease and how it is polled. */
export const daemonColumns = {
  id: daemons.id,
  created_at: daemons.created_at,
  updated_at: daemons.updated_at,
  organization_id: daemons.organization_id,
  network_id: daemons.network_id,
  host_id: daemons.host_id,
  name: daemons.name,
  url: daemons.url,
  version: daemons.version,
  last_seen: daemons.last_seen_at,
  is_unreachable: daemons.is_unreachable,
  unreachable_since: daemons.unreachable_since,
  consecutive_failures: daemons.consecutive_failures,
  next_poll_at: daemons.next_poll_at,
  last_error: daemons.last_error,
  last_error_http_status: daemons.last_error_http_status,
  last_error_at: daemons.last_error_at,
};

type DaemonRow = {
  [Name in keyof typeof daemonColumns]:
    | (typeof daemonColumns)[Name]["_"]["data"]
    | ((typeof daemonColumns)[Name]["_"]["notNull"] extends true ? never : null);
};

/** A daemon as callers see it (API contract, section 5). */
export function daemonWire({
  last_error,
  last_error_http_status,
  last_error_at,
  ...daemon
}: DaemonRow) {
  return {
    ...daemon,
    mode: "server_poll" as const,
    version_status: versionStatus(daemon.version),
    last_error:
      last_error && last_error_at
        ? { code: last_error, http_status: last_error_http_status, occurred_at: last_error_at }
        : null,
  };
}

export type Daemon = ReturnType<typeof daemonWire>;
