import { keyRingOf, tokenPlace } from "../../src/database/sealing.ts";
import type { Behavior } from "../helpers/daemon-behavior.ts";
import { leaseDaemon, raiseDaemon } from "../helpers/daemons.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, type Organization } from "../helpers/organization.ts";
import { daemonToken, openPoller } from "../helpers/poller.ts";
import { answered, nothing, wireProgress } from "../helpers/protocol.ts";
import { mintSession, sessionRow } from "../helpers/sessions.ts";
import type { Random } from "./random.ts";
import {
  change,
  type RealHost,
  type Reality,
  realityOf,
  wireComplete,
  wireFound,
} from "./reality.ts";

/** The stages of a scan: one per visit of the poller. */
const stages = ["ask", "found", "half", "complete", "last", "settle"] as const;
type Stage = (typeof stages)[number];

/** A daemon on one of the walk's networks, with its current scan. */
export interface Scanner {
  id: string;
  networkId: string;
  /** True while a client is using the scanner. */
  isBusy: boolean;
  /** The stage of the next visit. */
  readonly stage: Stage;
  /**
   * Advances the scan by one visit.
   * @returns a description for the journal
   */
  step(random: Random): Promise<string>;
  /** Cancels the scan; the next step starts a new one. */
  stop(): Promise<void>;
  /**
   * Runs a complete scan.
   * @param hostId the only host that the scan may change, as for a rescan; undefined for all hosts
   * @returns the scan's id, whether it is complete and settled, and whether any part of it was not
   * stored
   */
  scan(
    reality: Reality,
    isFullScan: boolean,
    hostId?: string,
  ): Promise<{ id: string; isSettled: boolean; hasGaps: boolean }>;
  /** Returns the network's hosts, which change slightly between calls. */
  reality(random: Random): Reality;
}

/**
 * Creates a daemon that speaks the daemon protocol, and a poller that visits it.
 * @param variables overrides for the configuration
 */
export async function raiseScanner(
  organization: Organization,
  networkId: string,
  variables: Record<string, unknown> = {},
): Promise<Scanner> {
  const poller = openPoller(variables);
  const daemon = raiseDaemon();
  const id = crypto.randomUUID();
  const context = tokenPlace(organization.id, id, daemon.url);
  await mintDaemon(
    organization.id,
    networkId,
    { id, url: daemon.url },
    await keyRingOf(poller.settings).seal(daemonToken, context),
  );
  const routes: Record<string, Behavior> = {};
  const report = async (progress: unknown, hosts: unknown[]) => {
    routes["poll"] = answered({ progress, entities: { ...nothing.entities, hosts } });
    await daemon.behave({ kind: "routes", routes });
  };
  const visit = async () => {
    await poller.poll(await leaseDaemon(id));
  };
  let stage: Stage = "ask";
  let session = "";
  let seen: Reality = [];

  /** Prepares the daemon's report for a stage. */
  async function reportAt(now: Stage, hosts: readonly RealHost[]): Promise<void> {
    const half = Math.ceil(hosts.length / 2);
    const progress = (phase: string, percent: number) => wireProgress(session, phase, percent);
    switch (now) {
      case "ask":
      case "settle":
        return report(null, []);
      case "found":
        return report(
          progress("Scanning", 30),
          hosts.map((host) => wireFound(networkId, host)),
        );
      case "half":
        return report(
          progress("Scanning", 60),
          hosts.slice(0, half).map((host) => wireComplete(networkId, host)),
        );
      case "complete":
        return report(
          progress("Scanning", 90),
          hosts.slice(half).map((host) => wireComplete(networkId, host)),
        );
      case "last":
        return report(progress("Complete", 100), []);
    }
  }

  async function take(now: Stage): Promise<void> {
    await reportAt(now, seen);
    await visit();
    stage = stages[(stages.indexOf(now) + 1) % stages.length] ?? "ask";
  }

  const ask = async (is_full_scan: boolean, host_id: string | null = null) => {
    session = await mintSession(organization.id, networkId, id, { is_full_scan, host_id });
  };

  const stop = async () => {
    if (stage !== "ask") {
      await cancelScans(id);
      await report(null, []);
      await visit();
      stage = "ask";
    }
  };
  let current: Reality = [];
  const reality = (random: Random): Reality => {
    current = current.length === 0 ? realityOf(random) : change(current, random);
    return current;
  };
  return {
    id,
    networkId,
    isBusy: false,
    get stage() {
      return stage;
    },
    async step(random) {
      if (stage === "ask") {
        seen = reality(random);
        await ask(random.happens(50));
      }
      const now = stage;
      await take(now);
      return `${now} ${now === "ask" ? session : ""}`;
    },
    stop,
    async scan(hosts, isFullScan, hostId) {
      await stop();
      seen = hosts;
      await ask(isFullScan, hostId);
      let hasGaps = false;
      for (const now of stages) {
        await take(now);
        const gaps = await sql`select from app.scan_gaps where session_id = ${session}`;
        hasGaps ||= gaps.length > 0;
      }
      const { phase, settled_at } = await sessionRow(session);
      return { id: session, isSettled: phase === "Complete" && settled_at !== null, hasGaps };
    },
    reality,
  };
}

/** Requests the cancellation of a daemon's scans. */
const cancelScans = (daemonId: string) => sql`
  update discovery_sessions set cancel_requested_at = now()
  where daemon_id = ${daemonId} and finished_at is null`;
