import type { Moment, PodView } from '@weeder/live-page';
import { type KnownPod, unknownPod } from '../../weeder/podFacts.ts';
import type { PodReport } from '../../weeder/report/podReport.ts';
import { podSentence } from '../../weeder/report/podSentence.ts';
import { podActorId } from '../actorTree.ts';

/** The maximum number of services in a response. */
const maxServices = 50;
/** The maximum number of moments. */
export const maxMoments = 50;

/** The pod for the page. `known`: undefined if the weeder does not run. */
export function podView(
  namespace: string,
  name: string,
  known: KnownPod | undefined,
  report: PodReport | undefined,
  moments: readonly Moment[],
): PodView {
  const facts = known ?? unknownPod;
  const { seen, services, progress } = facts;
  const uid = seen.type === 'crashLooping' && progress !== undefined ? seen.pod.uid : undefined;
  return {
    namespace,
    name,
    sentence: podSentence({ ...facts, report }),
    services: services.slice(0, maxServices).map(({ protection: _, ...service }) => service),
    total: services.length,
    moments,
    actor: uid === undefined ? undefined : podActorId({ namespace, name, uid }),
  };
}
