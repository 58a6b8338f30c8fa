import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import {
  controllerOf,
  dnsLabel,
  dnsSubdomain,
  generatedJobLabels,
  type LabelSelector,
  matchesSelector,
  trueConditions,
  workloadKindNames,
} from '@weeder/kube-runtime/objects';
import type { DependantRef, ServiceRef } from '../dependencies/dependency.ts';
import { kinds } from '../restart/kinds/kinds.ts';
import { readLabelSelector, readTexts } from '../restart/references/labelSelector.ts';
import { podTemplateOf } from '../restart/references/podTemplate.ts';
import { type SourceKind, sourceKey } from '../restart/references/refs.ts';
import { readSourceData, type SourceData } from './sources.ts';

/** The kinds that are searched for the names of Services, as named by the API. */
export const searchedKinds = [...workloadKindNames, 'ReplicaSet', 'ReplicationController', 'Pod'] as const;

export type SearchedKind = (typeof searchedKinds)[number];

/** What is read of a Service. */
export interface ObservedService extends ServiceRef {
  readonly ports: ReadonlySet<number>;
  readonly portNames: ReadonlySet<string>;
  /** Its cluster IPs. */
  readonly addresses: ReadonlySet<string>;
  /** Its name resolves to its pods, each of which also has a name below it. */
  readonly isHeadless: boolean;
  /** Undefined: its endpoints are not pods that it selects. */
  readonly selector: LabelSelector | undefined;
}

/** What is read of a workload. */
export interface ObservedWorkload {
  readonly ref: DependantRef & { readonly kind: SearchedKind };
  readonly template: JsonObject;
  /** The labels of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** Selects its pods; undefined: they have no labels of their own. */
  readonly selector: LabelSelector | undefined;
  /** The Service that names the pods of a StatefulSet. */
  readonly governingService: string | undefined;
}

/** Everything that is searched for dependencies. */
export interface Observed {
  readonly services: readonly ObservedService[];
  readonly workloads: readonly ObservedWorkload[];
  /** ConfigMaps, and Secrets if they are read, by their keys: `configmap/shop/settings`. */
  readonly sources: ReadonlyMap<string, SourceData>;
}

/**
 * Reads a Service as the API serves it. Undefined for one that has no EndpointSlices (ExternalName), and for the API
 * server itself.
 */
function readService(object: JsonObject): ObservedService | undefined {
  const ref = refOf(object);
  const spec = objectOf(object['spec']);
  if (ref === undefined || spec['type'] === 'ExternalName') return undefined;
  if (ref.namespace === 'default' && ref.name === 'kubernetes') return undefined;
  const ports = arrayOf(spec['ports']).map(objectOf);
  const matchLabels = readTexts(spec['selector']);
  return {
    ...ref,
    ports: new Set(ports.flatMap(({ port }) => numberOf(port) ?? [])),
    portNames: new Set(ports.flatMap(({ name }) => textOf(name) ?? [])),
    addresses: new Set(addressesOf(spec)),
    isHeadless: spec['clusterIP'] === 'None',
    selector: Object.keys(matchLabels).length === 0 ? undefined : { matchLabels },
  };
}

/** A manifest may have the first one alone. */
function addressesOf({ clusterIP, clusterIPs }: JsonObject): string[] {
  return [clusterIP, ...arrayOf(clusterIPs)].flatMap((each) => textOf(each) ?? []).filter((each) => each !== 'None');
}

/**
 * Reads a workload as the API serves it. Undefined for a Job or Pod that is over, and for one that another object has
 * created, because that has the same template.
 */
function readWorkload(object: JsonObject, kind: SearchedKind): ObservedWorkload | undefined {
  const ref = refOf(object);
  if (ref === undefined || isOwned(object, kind) || isOver(object, kind)) return undefined;
  const template = templateOf(object, kind);
  const labels = readTexts(objectOf(template['metadata'])['labels']);
  const spec = objectOf(object['spec']);
  return {
    ref: { kind, ...ref },
    template,
    labels,
    selector: selectorOf(spec['selector'], kind, labels),
    governingService: kind === 'StatefulSet' ? textOf(spec['serviceName']) : undefined,
  };
}

/** A Pod is its own template. */
function templateOf(object: JsonObject, kind: SearchedKind): JsonObject {
  if (kind === 'Pod') return object;
  const workloadKind = workloadKindNames.find((each) => each === kind);
  return workloadKind === undefined
    ? objectOf(objectOf(object['spec'])['template'])
    : podTemplateOf(object, kinds[workloadKind]);
}

function selectorOf(
  selector: unknown,
  kind: SearchedKind,
  labels: Readonly<Record<string, string>>,
): LabelSelector | undefined {
  if (kind === 'Job' || kind === 'CronJob' || kind === 'Pod') return ownLabels(labels);
  return kind === 'ReplicationController' ? { matchLabels: readTexts(selector) } : readLabelSelector(selector);
}

/** Sorts objects of any kind into what they are read as. Secrets are read only if the kinds of sources include them. */
export function readObjects(objects: readonly JsonObject[], kinds: readonly SourceKind[] = ['ConfigMap']): Observed {
  const kindOf = (object: JsonObject) => searchedKinds.find((kind) => kind === object['kind']);
  return {
    services: objects.flatMap((object) => (object['kind'] === 'Service' ? (readService(object) ?? []) : [])),
    workloads: objects.flatMap((object) => {
      const kind = kindOf(object);
      return kind === undefined ? [] : (readWorkload(object, kind) ?? []);
    }),
    sources: new Map(
      objects.flatMap((object) => {
        const ref = refOf(object);
        const kind = kinds.find((each) => each === object['kind']);
        return ref === undefined || kind === undefined ? [] : [[sourceKey({ kind, ...ref }), readSourceData(object)]];
      }),
    ),
  };
}

/** The Service's endpoints are pods of this workload. Such pods name it to find each other. */
export function isBehind({ ref, labels, governingService }: ObservedWorkload, service: ObservedService): boolean {
  if (ref.namespace !== service.namespace) return false;
  if (governingService === service.name) return true;
  if (service.selector === undefined) return false;
  const podName = service.selector.matchLabels?.[podNameLabel];
  const isPodOfSet = ref.kind === 'StatefulSet' && podName?.replace(/-\d+$/, '') === ref.name;
  return matchesSelector(service.selector, isPodOfSet ? { ...labels, [podNameLabel]: podName ?? '' } : labels);
}

/** The label that the StatefulSet controller gives to each pod: a Service for one pod selects by it. */
const podNameLabel = 'statefulset.kubernetes.io/pod-name';

/** Names from files may be any text, and names become part of commands and pictures. */
function refOf(object: JsonObject): ServiceRef | undefined {
  const { namespace, name } = objectOf(object['metadata']);
  if (typeof namespace !== 'string' || !dnsLabel.pattern.test(namespace)) return undefined;
  return typeof name === 'string' && dnsSubdomain.pattern.test(name) ? { namespace, name } : undefined;
}

/** Whether another object has created it. */
function isOwned({ metadata }: JsonObject, kind: SearchedKind): boolean {
  const owner = controllerOf(objectOf(metadata));
  if (kind === 'Job') return owner?.['kind'] === 'CronJob';
  return owner !== undefined && !workloadKindNames.some((each) => each === kind);
}

function isOver({ status }: JsonObject, kind: SearchedKind): boolean {
  if (kind === 'Pod') return ['Succeeded', 'Failed'].some((phase) => phase === objectOf(status)['phase']);
  return (
    kind === 'Job' && trueConditions(objectOf(status)).some(({ type }) => type === 'Complete' || type === 'Failed')
  );
}

function ownLabels(labels: Readonly<Record<string, string>>): LabelSelector | undefined {
  const own = Object.entries(labels).filter(([key]) => !generatedJobLabels.has(key));
  return own.length === 0 ? undefined : { matchLabels: Object.fromEntries(own) };
}
