import { fromCallback } from 'xstate';
import { podDeletion } from '../../machines/weeder/podDeletion.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { DeletePod, DeletionPolicy } from './deletePod.ts';
import type { DeletionQueue } from './deletionQueue.ts';
import type { DeletionEntry } from './deletions.ts';
import { type Report, type WindowRef, windowRefOf } from './facts.ts';
import type { WindowAccount } from './windows.ts';

/** What the `podDeletion` machine needs of the world. */
export interface PodDeletionEffects {
  readonly clock: Clock;
  readonly queue: DeletionQueue;
  readonly deletePod: DeletePod;
  readonly isDryRun: boolean;
  readonly report: Report;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly entryOf: (uid: string) => DeletionEntry | undefined;
}

export type PodDeletionLogic = ReturnType<typeof providePodDeletion>;

/** The `podDeletion` machine with its effects. */
export function providePodDeletion(effects: PodDeletionEffects): typeof podDeletion {
  const { clock, queue, deletePod, report, random, entryOf } = effects;

  /** Tells of the pod once, in the name of every window that wants it, or of the last one that did. */
  function tellOf(uid: string, tell: (concerned: Concerned, entry: DeletionEntry) => void): void {
    const entry = entryOf(uid);
    if (entry === undefined) return;
    const wants = entry.wants.size > 0 ? [...entry.wants] : [entry.lastWant];
    const concerned = concernedOf(new Set(wants.map((want) => want.account)));
    if (concerned !== undefined) tell(concerned, entry);
  }

  return podDeletion.provide({
    actors: {
      queueTurn: fromCallback(({ input, sendBack }) => queue.enter(input.uid, () => sendBack({ type: 'queue.turn' }))),
      deletePod: fromCallback(({ input, sendBack }) => {
        const { uid, namespace, name, resourceVersion } = input;
        const controller = new AbortController();
        const isWanted = () => isStillWanted(entryOf(uid), clock);
        if (!isWanted()) {
          sendBack({ type: 'delete.refused', reason: 'the window is over', jitter: random() });
          return undefined;
        }
        const request = { uid, namespace, name, resourceVersion, policy: policyOf(entryOf(uid)), isWanted };
        deletePod(request, controller.signal).then(
          (answer) => sendBack({ ...answer, jitter: random() }),
          (error) => sendBack({ type: 'delete.refused', reason: messageOf(error), jitter: random() }),
        );
        return () => controller.abort();
      }),
    },
    actions: {
      reportKept: ({ context: { uid, protection } }) =>
        tellOf(uid, ({ accounts }, { pod }) => {
          for (const account of accounts) {
            if (account.kept.has(uid)) continue;
            account.kept.add(uid);
            report({ type: 'pod.kept', pod, reason: protection, ...windowRefOf(account) });
          }
        }),
      reportDeleted: ({ context }) =>
        tellOf(context.uid, ({ accounts, refs }, entry) => {
          for (const account of accounts) account.deleted.add(context.uid);
          const sinceOpened = clock.monotonic() - accounts[0].openedAt;
          const how = effects.isDryRun ? 'dryRun' : policyOf(entry).deletion;
          report({ type: 'pod.deleted', pod: entry.pod, sinceOpened, how, ...refs });
        }),
      reportRecovered: ({ context }) =>
        tellOf(context.uid, ({ refs }, { pod }) => report({ type: 'pod.recovered', pod, ...refs })),
      reportRefused: ({ context, event }) =>
        tellOf(context.uid, ({ refs }, { pod }) => {
          const { refusals, retryIn } = context;
          report({ type: 'deletion.refused', pod, reason: reasonOf(event), attempt: refusals, retryIn, ...refs });
        }),
      reportAbandoned: ({ context, event }) =>
        tellOf(context.uid, ({ accounts, refs }, { pod, wants, ending }) => {
          if (wants.size === 0 && ending === 'held') {
            report({ type: 'deletion.held', pod, ...refs });
            return;
          }
          for (const account of accounts) account.givenUp.add(`${pod.namespace}/${pod.name}`);
          const reason = event.type === 'delete.rejected' ? reasonOf(event) : accounts[0].givenUpBecause;
          report({ type: 'deletion.givenUp', pod, reason, ...refs });
        }),
    },
  });
}

/** The windows that a fact is about, and how it names them. */
interface Concerned {
  readonly accounts: readonly [WindowAccount, ...WindowAccount[]];
  readonly refs: WindowRef & { readonly also: readonly WindowRef[] };
}

/** Undefined when there is none. */
function concernedOf(accounts: ReadonlySet<WindowAccount>): Concerned | undefined {
  const [first, ...others] = accounts;
  if (first === undefined) return undefined;
  return { accounts: [first, ...others], refs: { ...windowRefOf(first), also: others.map(windowRefOf) } };
}

/** Whether a window wants this pod deleted, and may, whose time is not over, even if its timer is late. */
function isStillWanted(entry: DeletionEntry | undefined, clock: Clock): boolean {
  return [...(entry?.wants ?? [])].some(
    ({ account, policy }) =>
      clock.monotonic() <= account.closesAt && (entry?.pod.protection === 'none' || policy.barePods === 'delete'),
  );
}

/** The policy of the first window that lets this pod be deleted. */
function policyOf(entry: DeletionEntry | undefined): DeletionPolicy {
  const wants = entry === undefined ? [] : [...entry.wants, entry.lastWant];
  const permitting = wants.find((want) => entry?.pod.protection === 'none' || want.policy.barePods === 'delete');
  return permitting?.policy ?? { barePods: 'keep', deletion: 'delete', gracePeriodSeconds: undefined };
}

/** The words of a refusal, or of an effect that broke. */
function reasonOf(event: object): string {
  if ('reason' in event && typeof event.reason === 'string') return event.reason;
  return 'error' in event ? messageOf(event.error) : 'no reason given';
}
