import type { ApplicationSpec } from './application.ts';

/** What of a spec is said of an application. */
interface Settings extends Pick<ApplicationSpec, 'mode' | 'deletionPolicy'> {
  /** A duration: `30s`. */
  readonly resyncPeriod: string;
  /** Undefined: weeder uses its own permissions. */
  readonly account: string | undefined;
}

/** `mode correct, deletionPolicy delete, resync every 30s, as system:serviceaccount:shop:default` */
export function settingsSentence({ mode, deletionPolicy, resyncPeriod, account }: Settings): string {
  return `mode ${mode}, deletionPolicy ${deletionPolicy}, resync every ${resyncPeriod}, ${asAccount(account)}`;
}

/** By whose permissions it is applied. */
export function asAccount(account: string | undefined): string {
  return `as ${account ?? 'weeder itself'}`;
}
