import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import {
  containerStatusesOf,
  isPodReady,
  keyOf,
  labelsOf,
  matchesSelector,
  partsOf,
  uidOf,
} from '@weeder/kube-runtime/objects';
import { includesName, scopeFrom } from '../config/scopes.ts';
import type { WatchedService } from '../config/serviceLookup.ts';
import { declaredScope } from '../weeder/declared/declaration.ts';
import { failingPod, readDeclaringPod } from '../weeder/declared/declaringPod.ts';
import { protectionBy } from '../weeder/deletions/deletionEntry.ts';
import { type CrashLoopingPod, crashLooping } from '../weeder/pods/crashLooping.ts';
import { deletedAtOf } from '../weeder/pods/deletedAt.ts';
import { neverStarted } from '../weeder/pods/neverStarted.ts';
import { podReportFrom, type WrittenEvent } from '../weeder/report/podReport.ts';
import { podSentence, type SeenPod, type SelectingService } from '../weeder/report/podSentence.ts';
import { readinessOf } from '../weeder/services/serviceStatus.ts';
import type { ExplainedDependency, ExplainedObject } from './explainedObject.ts';
import type { ClusterView } from './inspectCluster.ts';
import { verdict } from './verdict.ts';

/** What was read of a pod. */
interface InspectedPod {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: it does not exist. */
  readonly object: JsonObject | undefined;
  readonly view: ClusterView;
  /** Those of weeder about pods of this name, oldest first. */
  readonly events: readonly WrittenEvent[];
}

/** Says why the pod is, is not, or was deleted, and on what that depends. */
export function explainPod({ namespace, name, object, view, events }: InspectedPod): ExplainedObject {
  const seen = seenOf(object, view);
  const services = object === undefined ? [] : [...servicesOf(object, namespace, seen, view)];
  const sentence = podSentence({
    seen,
    services,
    progress: undefined,
    queue: { inFlight: 0, queued: 0 },
    report: events.flatMap((event) => podReportFrom(event) ?? []).at(-1),
  });
  const explained = services.map((service) => explainDependency(service, seen, view));
  return { kind: 'Pod', namespace, name, answer: sentence, services: explained, events };
}

function seenOf(object: JsonObject | undefined, { config }: ClusterView): SeenPod {
  if (object === undefined) return { type: 'unseen' };
  const [uid, since] = [uidOf(object), deletedAtOf(object)];
  if (since !== undefined) return { type: 'terminating', uid, since };
  const looping = config.declared === undefined ? crashLooping(object) : failingPod(object);
  if (looping !== undefined) return { type: 'crashLooping', pod: looping };
  const stuck = neverStarted(object);
  if (stuck !== undefined) return { type: 'neverStarted', pod: stuck };
  return { type: 'notCrashLooping', uid, state: stateOf(objectOf(object['status'])) };
}

/** `Running, not Ready, container main: terminated` */
function stateOf(status: JsonObject): string {
  const containers = containerStatusesOf(status).flatMap(({ name, state }) => {
    const [kind = '', details] = Object.entries(objectOf(state))[0] ?? [];
    if (kind === 'running') return [];
    return [`container ${textOf(name) ?? ''} ${kind} (${textOf(objectOf(details)['reason']) ?? 'no reason'})`];
  });
  return [textOf(status['phase']) ?? 'no phase', isPodReady(status) ? 'Ready' : 'not Ready', ...containers].join(', ');
}

/** The services whose windows the pod would be deleted in; weeder reads only those that have an EndpointSlice. */
function* servicesOf(
  object: JsonObject,
  namespace: string,
  seen: SeenPod,
  { services, config, weeder }: ClusterView,
): Generator<SelectingService> {
  const known = new Map(weeder.slices.services().map((each) => [keyOf(each.namespace, each.service), each]));
  for (const key of new Set([...known.keys(), ...(config.declared?.services ?? [])])) {
    const { namespace: home, name: service } = partsOf(key);
    const policy = services(home, service);
    if (policy === undefined || !isDependant(object, namespace, seen, key, policy)) continue;
    const protection = seen.type === 'crashLooping' ? protectionBy(policy, seen.pod) : 'none';
    const { isReady = false, exists = false } = known.get(key) ?? {};
    yield { namespace: home, service, isReady, exists, since: undefined, window: 'unknown', protection };
  }
}

function isDependant(
  object: JsonObject,
  namespace: string,
  seen: SeenPod,
  service: string,
  policy: WatchedService,
): boolean {
  const { podSelectors, dependantNamespaces, declaredIn } = policy;
  const scope = scopeFrom(dependantNamespaces, partsOf(service).namespace);
  const isSelected = podSelectors.some((selector) => matchesSelector(selector, labelsOf(object)));
  const isPull = seen.type === 'crashLooping' && seen.pod.cause === 'imagePull';
  if (isSelected && !isPull && includesName(scope, namespace)) return true;
  if (declaredIn === 'none') return false;
  const { groups } = readDeclaringPod(object, undefined);
  return declaredScope(service, declaredIn).some((group) => groups.includes(group));
}

function explainDependency(selecting: SelectingService, seen: SeenPod, view: ClusterView): ExplainedDependency {
  const { namespace, service } = selecting;
  const policy = view.services(namespace, service);
  const dependency = { namespace, name: service, state: readinessOf(selecting) };
  if (seen.type !== 'crashLooping' || policy === undefined) return dependency;
  const heldBy = view.heldBy(seen.pod, { namespace, service });
  return { ...dependency, verdict: verdict(seen.pod, policy, indexOf(seen.pod, view), heldBy) };
}

function indexOf({ uid }: CrashLoopingPod, { weeder }: ClusterView) {
  return [weeder.declaredPods, ...weeder.pods.values()].find((index) => index.get(uid) !== undefined);
}
