import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { generatedJobLabels } from '@weeder/kube-runtime/objects';
import { changeCauseMark, restartMarks } from '../../controller/restartMarks.ts';
import { annotationName, labelName } from './fieldManagers.ts';

/** A kind of object. The group is empty for the core group. */
interface ObjectType {
  readonly group: string;
  readonly kind: string;
}

/** The fields of `metadata` that only the API server writes. */
export const serverOwnedMetadata = [
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

/**
 * The fields of one map that the API server, a controller of Kubernetes or weeder itself assigns. A manifest that was
 * copied from a cluster has them, and they are not part of its desired state: an apply of them is refused, restores the
 * state of another object or time, or takes a field from its controller.
 */
interface Rule {
  /** `group/Kind`; undefined: any. */
  readonly of?: string;
  /** The path to the map. */
  readonly at: readonly string[];
  readonly owns: (field: string, value: unknown) => boolean;
  /** Default: always. */
  readonly when?: (object: JsonObject) => boolean;
}

/** Annotations that the API server, the controllers of Kubernetes, the kubelet, or kubectl write. */
const annotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.daemonset.template.generation',
  'batch.kubernetes.io/job-tracking',
  'batch.kubernetes.io/cronjob-scheduled-timestamp',
  'autoscaling.alpha.kubernetes.io/conditions',
  'autoscaling.alpha.kubernetes.io/current-metrics',
  'control-plane.alpha.kubernetes.io/leader',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'endpoints.kubernetes.io/over-capacity',
  'kubernetes.io/limit-ranger',
  'kubernetes.io/service-account.uid',
  'node.alpha.kubernetes.io/ttl',
  'volumes.kubernetes.io/controller-managed-attach-detach',
  'csi.volume.kubernetes.io/nodeid',
  'storage.alpha.kubernetes.io/migrated-plugins',
  // Users write the other annotations with this prefix, storage-class and mount-options.
  'volume.beta.kubernetes.io/storage-provisioner',
  annotationName,
  restartMarks.state,
  restartMarks.emptied,
]);
const annotationPrefixes = [
  'deployment.kubernetes.io/',
  'pv.kubernetes.io/',
  'volume.kubernetes.io/',
  'kubernetes.io/config.',
];

const isIn = (names: readonly string[]) => (field: string) => names.includes(field);
const [templateOf, cronTemplateOf] = [
  ['spec', 'template'],
  ['spec', 'jobTemplate', 'spec', 'template'],
];

const rules: readonly Rule[] = [
  { at: [], owns: isIn(['status']) },
  { at: ['metadata'], owns: isIn(serverOwnedMetadata) },
  // The API server ignores it if the object has a name.
  { at: ['metadata'], owns: isIn(['generateName']) },
  // The owner is an object of another cluster, or does not exist. The garbage collector would delete the applied
  // object.
  { at: ['metadata'], owns: isIn(['ownerReferences', 'finalizers']), when: isCopied },
  { at: ['metadata', 'annotations'], owns: isOfAController },
  {
    at: ['metadata', 'labels'],
    owns: isIn([labelName, 'controller-uid', 'batch.kubernetes.io/controller-uid']),
  },
  ...[templateOf, cronTemplateOf].map((at) => ({
    at: [...at, 'metadata', 'annotations'],
    owns: isIn([restartMarks.template]),
  })),
  { of: '/Namespace', at: ['metadata', 'labels'], owns: isIn(['kubernetes.io/metadata.name']) },
  { of: '/Namespace', at: ['spec'], owns: isIn(['finalizers']) },
  { of: '/Node', at: ['spec'], owns: isIn(['podCIDR', 'podCIDRs']), when: isCopied },
  { of: '/Node', at: ['spec'], owns: (field, value) => field === 'taints' && arrayOf(value).some(isOfNodeController) },
  { of: '/Pod', at: ['spec'], owns: isIn(['nodeName']), when: isCopied },
  { of: '/ServiceAccount', at: [], owns: isIn(['secrets']), when: isCopied },
  { of: '/Secret', at: ['data'], owns: isIn(['ca.crt', 'namespace', 'token']), when: isToken },
  { of: '/PersistentVolumeClaim', at: ['spec'], owns: isIn(['volumeName']), when: isBoundByController },
  { of: '/PersistentVolume', at: ['spec'], owns: isIn(['claimRef']), when: isBoundByController },
  { of: '/PersistentVolume', at: ['spec', 'claimRef'], owns: isIn(['uid', 'resourceVersion']) },
  { of: 'batch/Job', at: ['spec'], owns: isIn(['selector']), when: isSelected },
  ...[[], templateOf].map((at) => ({
    of: 'batch/Job',
    at: [...at, 'metadata', 'labels'],
    owns: (name: string) => generatedJobLabels.has(name),
    when: isLabelled,
  })),
  // These fields identify the client that requested the certificate.
  {
    of: 'certificates.k8s.io/CertificateSigningRequest',
    at: ['spec'],
    owns: isIn(['username', 'uid', 'groups', 'extra']),
  },
  { of: 'rbac.authorization.k8s.io/ClusterRole', at: [], owns: isIn(['rules']), when: isAggregated },
];

/** Returns the manifest without the assigned fields, and without maps that are empty then. */
export function withoutServerOwned(object: JsonObject, type: ObjectType): JsonObject {
  return rulesFor(object, type).reduce((left, { at, owns }) => without(left, at, owns), object);
}

/** The assigned fields of a map, which an observer schema must not list. */
export interface Assigned {
  readonly at: readonly string[];
  readonly owns: (field: string) => boolean;
}

/** Expects a manifest from `withoutServerOwned`. */
export function serverOwnedIn(object: JsonObject, type: ObjectType): readonly Assigned[] {
  return rulesFor(object, type).map(({ at, owns }) => ({ at, owns: (field) => owns(field, undefined) }));
}

function rulesFor(object: JsonObject, { group, kind }: ObjectType): readonly Rule[] {
  return rules.filter(({ of, when }) => (of === undefined || of === `${group}/${kind}`) && when?.(object) !== false);
}

function without(map: JsonObject, [step, ...rest]: readonly string[], owns: Rule['owns']): JsonObject {
  if (step === undefined) {
    const fields = Object.entries(map).filter(([field, value]) => !owns(field, value));
    return fields.length === Object.keys(map).length ? map : Object.fromEntries(fields);
  }
  const below = map[step];
  if (!isObject(below)) return map;
  const left = without(below, rest, owns);
  if (left === below) return map;
  if (Object.keys(left).length > 0) return { ...map, [step]: left };
  return Object.fromEntries(Object.entries(map).filter(([field]) => field !== step));
}

/** Only an API server sets a uid and a creation time. The output of `kubectl create --dry-run` has neither. */
function isCopied({ metadata }: JsonObject): boolean {
  const metadataFields = objectOf(metadata);
  return ['uid', 'resourceVersion', 'creationTimestamp'].some((field) => textOf(metadataFields[field]) !== undefined);
}

function isOfAController(name: string, value: unknown): boolean {
  if (annotations.has(name) || annotationPrefixes.some((prefix) => name.startsWith(prefix))) return true;
  return name === 'kubernetes.io/change-cause' && textOf(value)?.startsWith(changeCauseMark) === true;
}

/** Without this taint, pods would stay on a node that no longer exists. */
function isOfNodeController(taint: unknown): boolean {
  return textOf(objectOf(taint)['key'])?.startsWith('node.kubernetes.io/') === true;
}

/** The token controller writes and renews the content of such a Secret. */
function isToken({ type }: JsonObject): boolean {
  return type === 'kubernetes.io/service-account-token';
}

/** Without this annotation, a user has set the volume or the claim. */
function isBoundByController({ metadata }: JsonObject): boolean {
  return 'pv.kubernetes.io/bound-by-controller' in objectOf(objectOf(metadata)['annotations']);
}

/** Each Job gets its own selector and labels, unless it sets `manualSelector`. */
function isLabelled({ spec }: JsonObject): boolean {
  return objectOf(spec)['manualSelector'] !== true;
}

/**
 * The API server refuses the selector of another Job. A selector without that label is an error of the manifest and is
 * refused, too.
 */
function isSelected(object: JsonObject): boolean {
  const { selector } = objectOf(object['spec']);
  const labels = Object.keys(objectOf(objectOf(selector)['matchLabels']));
  return isLabelled(object) && labels.some((name) => generatedJobLabels.has(name));
}

/** The controller that aggregates ClusterRoles replaces all rules. */
function isAggregated({ aggregationRule }: JsonObject): boolean {
  return isObject(aggregationRule);
}
