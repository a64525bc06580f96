import { computed, signal } from "@preact/signals";
import { auth, type Caller, key, type Network, networks, read, rejection } from "./api.ts";
import { resource } from "./resource.ts";
import { revision } from "./state.ts";

const storedKey = "explore-key";
const signedOut = "explore-signed-out";

/** The number of attempts to sign in. */
const attempts = signal(0);

/** The caller's key and organization, once the API has accepted the key. */
export const caller = resource<{ attempt: number }, Caller>(
  () => (key.value === undefined ? undefined : { attempt: attempts.value }),
  async (_args, abort) => (await read(auth.whoami.$get({}, { init: { signal: abort } }))).data,
);

/**
 * The number of the session, or undefined while nobody is signed in. A key that is stored when the
 * page opens has been accepted before, so the session starts before the key is checked again. A new
 * key is checked first.
 */
export const session = computed(() => {
  if (key.value === undefined || rejection.value !== undefined) {
    return undefined;
  }
  return attempts.value === 0 ? 0 : caller.loaded.value?.args.attempt;
});

export const canEdit = computed(() => {
  const data = caller.loaded.value?.data;
  return data !== undefined && (data.token ?? data.api_key).permissions !== "Viewer";
});

export function signIn(candidate: string, isKept: boolean): void {
  if (isKept) {
    sessionStorage.setItem(storedKey, candidate);
  } else {
    sessionStorage.removeItem(storedKey);
  }
  sessionStorage.removeItem(signedOut);
  rejection.value = undefined;
  key.value = candidate;
  attempts.value++;
}

export function signOut(): void {
  sessionStorage.removeItem(storedKey);
  sessionStorage.setItem(signedOut, "");
  location.reload();
}

/**
 * Continues the session of this tab.
 * @param developmentKey the demo key that the page contains in local development
 */
export function resume(developmentKey: string): void {
  const isSignedOut = sessionStorage.getItem(signedOut) !== null;
  key.value = sessionStorage.getItem(storedKey) ?? ((!isSignedOut && developmentKey) || undefined);
}

/** The networks that the key can access. */
export const networkList = resource<{ session: number; revision: number }, Network[]>(
  () =>
    session.value === undefined ? undefined : { session: session.value, revision: revision.value },
  async (_args, abort) => {
    const query = { limit: "1000", order_by: "name" } as const;
    return (await read(networks.$get({ query }, { init: { signal: abort } }))).data;
  },
);

export const networkName = (id: string) =>
  networkList.loaded.value?.data.find((network) => network.id === id)?.name ?? "";
