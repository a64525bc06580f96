import { daemons } from "../database/schema/index.ts";

/** What is read of a daemon to answer callers: everything but its token and its lease. */
export const daemonColumns = {
  id: daemons.id,
  created_at: daemons.created_at,
  updated_at: daemons.updated_at,
  organization_id: daemons.organization_id,
  network_id: daemons.network_id,
  name: daemons.name,
  url: daemons.url,
  version: daemons.version,
  last_seen_at: daemons.last_seen_at,
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

/** A daemon as callers see it: its last error with when it happened, null if there was none. */
export function daemonWire({
  last_error,
  last_error_http_status,
  last_error_at,
  ...daemon
}: DaemonRow) {
  return {
    ...daemon,
    last_error:
      last_error && last_error_at
        ? { code: last_error, http_status: last_error_http_status, occurred_at: last_error_at }
        : null,
  };
}

export type Daemon = ReturnType<typeof daemonWire>;
