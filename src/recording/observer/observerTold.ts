import type { ObserverFact } from '../../observer/model/facts.ts';
import { identityText } from '../../observer/model/identity.ts';

/** A fact of the application observer, or a write it asks for, as a recording keeps it and a timeline prints it. */
export interface ObserverTold {
  readonly out: ObserverFact['type'] | 'resource.write' | 'status.write';
  /** `namespace/application`, with the resource behind it: `shop/web Deployment shop/web`. */
  readonly about: string;
  /** Paths, names and classes only; no values, and nothing that only timing decides. */
  readonly detail: string;
}

/** The kinds that are decisions: a replay has to come to the same ones. */
export const observerDecisions: readonly ObserverTold['out'][] = [
  'application.applied',
  'application.invalid',
  'application.paused',
  'application.accountMissing',
  'application.deleted',
  'resource.applied',
  'resource.drifted',
  'resource.corrected',
  'resource.missing',
  'resource.admitted',
  'resource.wantedAnew',
  'resource.contested',
  'resource.ending',
  'resource.claimed',
  'resource.typeMissing',
  'resource.refused',
  'resource.deleted',
  'resource.released',
  'resource.deletionSkipped',
  'resource.write',
];

export function toldOfObserver(fact: ObserverFact): ObserverTold {
  return { out: fact.type, about: aboutOf(fact), detail: detailOf(fact) };
}

/** Whose application something is about; undefined: nobody's. */
export function applicationIn({ about, out }: Pick<ObserverTold, 'about' | 'out'>): string | undefined {
  return out === 'actor.failed' ? undefined : about.split(' ')[0];
}

function aboutOf(fact: ObserverFact): string {
  if (fact.type === 'actor.failed') return fact.actor;
  const { namespace, name } = fact.application;
  return 'resource' in fact ? `${namespace}/${name} ${identityText(fact.resource)}` : `${namespace}/${name}`;
}

function detailOf(fact: ObserverFact): string {
  switch (fact.type) {
    case 'application.applied':
      return `${fact.resources === 1 ? '1 resource' : `${fact.resources} resources`}${fact.failed === 0 ? '' : `, ${fact.failed} of them not applied`}`;
    case 'application.deleted':
      return fact.policy;
    case 'resource.applied':
      return fact.how;
    case 'resource.drifted':
      return `${pathsOf(fact.drifts)}${byWhom(fact.rival)}${fact.isCorrected ? '' : ', left as it is'}`;
    case 'resource.corrected':
      return pathsOf(fact.drifts);
    case 'resource.missing':
      return fact.isCorrected ? '' : 'left as it is';
    case 'resource.admitted':
    case 'resource.wantedAnew':
      return fact.paths.join(', ');
    case 'resource.contested':
      return byWhom(fact.rival).trimStart();
    case 'application.refused':
    case 'resource.refused':
    case 'resource.failed':
      return `${fact.failure}, attempt ${fact.attempt}`;
    default:
      return '';
  }
}

function pathsOf(drifts: readonly { readonly path: string }[]): string {
  return drifts.map(({ path }) => path).join(', ');
}

function byWhom(rival: string | undefined): string {
  return rival === undefined ? '' : ` (by ${rival})`;
}
