import type { PodView } from '@weeder/live-page';
import type { KnownPod } from '../weeder/podFacts.ts';
import type { PodReport } from '../weeder/report/podReport.ts';
import { podSentence } from '../weeder/report/podSentence.ts';

/** The maximum number of services in a response. */
const maxServices = 50;

/** The pod for the page. `known`: undefined if the weeder does not run. */
export function podView(
  namespace: string,
  name: string,
  known: KnownPod | undefined,
  report: PodReport | undefined,
): PodView {
  const facts = known ?? nothingKnown(namespace);
  const { seen, services, progress } = facts;
  const uid = seen.type === 'crashLooping' && progress !== undefined ? seen.pod.uid : undefined;
  return {
    namespace,
    name,
    sentence: podSentence({ ...facts, report }),
    reportedAt: report?.at,
    services: services.slice(0, maxServices).map(({ protection: _, ...service }) => service),
    total: services.length,
    actor: uid === undefined ? undefined : `${namespace}/${name}/${uid}`,
  };
}

function nothingKnown(namespace: string): KnownPod {
  const queue = { inFlight: 0, queued: 0 };
  return { namespace, seen: { type: 'unseen' }, services: [], progress: undefined, queue };
}
