import { formatDuration } from '../base/duration.ts';
import { messageOf } from '../base/errors.ts';
import type { WeederFact } from '../weeder/deletions/facts.ts';
import type { CrashLoopingPod } from '../weeder/pods/crashLooping.ts';
import { type ObserverTold, observerDecisions } from './observer/observerTold.ts';
import { type RestartTold, restartDecisions } from './restart/restartTold.ts';

/** A fact as a recording keeps it and a timeline prints it: flat, and without anything that only timing decides. */
export interface Told {
  readonly out: WeederFact['type'] | RestartTold['out'] | ObserverTold['out'];
  /** `namespace/service`, a workload or pod of restart control's, an application, or the part of weeder that broke. */
  readonly about: string;
  readonly window?: number;
  /** `namespace/name`. */
  readonly pod?: string;
  readonly detail: string;
}

/** The kinds of facts that are decisions: a replay has to come to the same ones. */
const decisions: ReadonlySet<string> = new Set<Told['out']>([
  'window.opened',
  'window.closed',
  'pod.deleted',
  'pod.kept',
  'deletion.givenUp',
  ...restartDecisions,
  ...observerDecisions,
]);

export function isDecision({ out }: Told): boolean {
  return decisions.has(out);
}

/** A fact once for each window that it concerns: a replay that begins in the middle may know of some of them only. */
export function toldOf(fact: WeederFact): Told[] {
  if (fact.type === 'actor.failed') return [{ out: fact.type, about: fact.actor, detail: messageOf(fact.error) }];
  const about = 'also' in fact ? [fact, ...fact.also] : [fact];
  return about.map((each) => ({
    out: fact.type,
    about: `${each.namespace}/${each.service}`,
    ...('window' in each ? { window: each.window } : {}),
    ...('pod' in fact ? { pod: `${fact.pod.namespace}/${fact.pod.name}` } : {}),
    detail: detailOf(fact),
  }));
}

function detailOf(fact: Exclude<WeederFact, { type: 'actor.failed' }>): string {
  switch (fact.type) {
    case 'window.opened':
      return formatDuration(Math.round(fact.duration));
    case 'window.closed':
      return `${fact.deleted} deleted, ${fact.kept} kept, ${fact.givenUp.length} given up`;
    case 'pod.deleted':
      return `${fact.how}, ${stateOf(fact.pod)}`;
    case 'pod.kept':
    case 'deletion.givenUp':
    case 'deletion.pending':
    case 'deletion.skipped':
      return fact.reason;
    case 'deletion.refused':
      return `${fact.reason}, attempt ${fact.attempt}`;
    default:
      return '';
  }
}

function stateOf({ cause, restarts }: CrashLoopingPod): string {
  return `${cause === 'silent' ? 'in unreported back-off' : cause}, restarts ${restarts}`;
}
