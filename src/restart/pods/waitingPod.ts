import { arrayOf, type JsonObject, objectOf, timeOf } from '@weeder/kube-runtime/base';
import type { SourceRef } from '../references/refs.ts';
import { type Use, usesOf } from '../references/uses.ts';
import { type PodSummary, readPod } from './podSummary.ts';

/** A pod on a node whose volumes are not mounted, so that nothing in it has ever started. */
export interface WaitingPod extends PodSummary {
  /** When the kubelet took the pod, and tried to mount its volumes first: epoch milliseconds, in whole seconds. */
  readonly waitsSince: number;
  /** The sources without which it cannot start, with the keys that it names. */
  readonly requires: readonly Use[];
  /** Those of them that its volumes hold. */
  readonly volumeSources: readonly SourceRef[];
}

const ignore = 'weeder.dev/ignore';
const mirror = 'kubernetes.io/config.mirror';

/**
 * Reads a Pod as the API serves it. Returns undefined if the pod is protected, is not known to wait for its volumes, or
 * has a volume that a new pod might wait for longer, because it has to be attached or filled first.
 */
export function waitingPod(object: unknown): WaitingPod | undefined {
  const pod = readPod(object);
  if (pod === undefined || pod.isEnding || pod.node === undefined || pod.startedContainers.size > 0) return undefined;
  const { metadata, spec: givenSpec, status: givenStatus } = objectOf(object);
  const [annotations, spec, status] = [
    objectOf(objectOf(metadata)['annotations']),
    objectOf(givenSpec),
    objectOf(givenStatus),
  ];
  const waitsSince = timeOf(status['startTime']);
  if (waitsSince === undefined || !isWithoutSandbox(status)) return undefined;
  if (annotations[ignore] === 'true' || annotations[mirror] !== undefined) return undefined;
  if (!arrayOf(spec['volumes']).every((volume) => isMountedAtOnce(objectOf(volume)))) return undefined;
  const requires = usesOf({ metadata, spec }, pod.namespace, { imagePullSecrets: 'ignore' }).filter(
    ({ isOptional }) => !isOptional,
  );
  const inVolumes = requires.filter(({ how }) => how === 'volume' || how === 'unmounted');
  return { ...pod, waitsSince, requires, volumeSources: inVolumes.map(({ source }) => source) };
}

/** The kubelet mounts the volumes before it creates the sandbox. A status without the condition does not tell. */
function isWithoutSandbox({ phase, conditions }: JsonObject): boolean {
  const condition = arrayOf(conditions)
    .map(objectOf)
    .find(({ type }) => type === 'PodReadyToStartContainers');
  return phase === 'Pending' && condition?.['status'] === 'False';
}

const mountedAtOnce = new Set(['name', 'configMap', 'secret', 'projected', 'downwardAPI', 'emptyDir', 'hostPath']);
const projectedAtOnce = new Set(['configMap', 'secret', 'downwardAPI', 'serviceAccountToken']);

function isMountedAtOnce(volume: JsonObject): boolean {
  const sources = arrayOf(objectOf(volume['projected'])['sources']).flatMap((each) => Object.keys(objectOf(each)));
  return (
    Object.keys(volume).every((field) => mountedAtOnce.has(field)) &&
    sources.every((field) => projectedAtOnce.has(field))
  );
}
