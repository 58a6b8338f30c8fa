import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../base/json.ts';
import { dnsLabel, dnsSubdomain } from '../config/schema/names.ts';
import type { DependantRef, ServiceRef } from '../dependencies/dependency.ts';
import { generatedJobLabels } from '../kube/objects/jobLabels.ts';
import { controllerOf } from '../kube/objects/owners.ts';
import type { LabelSelector } from '../kube/objects/selector.ts';
import { trueConditions } from '../kube/objects/status.ts';
import { type WorkloadKind, workloadKindNames } from '../kube/objects/workloadKinds.ts';
import { readLabelSelector, readTexts } from '../restart/model/labelSelector.ts';
import { podTemplateOf } from '../restart/model/podTemplate.ts';

/** What is read of a Service. */
export interface ObservedService extends ServiceRef {
  readonly ports: ReadonlySet<number>;
  /** Its name resolves to its pods, each of which also has a name below it. */
  readonly isHeadless: boolean;
  /** Undefined: its endpoints are not pods that it selects. */
  readonly selector: LabelSelector | undefined;
}

/** What is read of a workload. */
export interface ObservedWorkload {
  readonly ref: DependantRef & { readonly kind: WorkloadKind };
  readonly template: JsonObject;
  /** The labels of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** Selects its pods; undefined: they have no labels of their own. */
  readonly selector: LabelSelector | undefined;
  /** The Service that names the pods of a StatefulSet. */
  readonly governingService: string | undefined;
}

/** The data of a ConfigMap. */
export type ConfigMapData = Readonly<Record<string, string>>;

/** Everything that is searched for dependencies. */
export interface Observed {
  readonly services: readonly ObservedService[];
  readonly workloads: readonly ObservedWorkload[];
  /** By `NAMESPACE/NAME`. */
  readonly configMaps: ReadonlyMap<string, ConfigMapData>;
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
  const ports = arrayOf(spec['ports']).flatMap((port) => numberOf(objectOf(port)['port']) ?? []);
  const matchLabels = readTexts(spec['selector']);
  return {
    ...ref,
    ports: new Set(ports),
    isHeadless: spec['clusterIP'] === 'None',
    selector: Object.keys(matchLabels).length === 0 ? undefined : { matchLabels },
  };
}

/**
 * Reads a workload as the API serves it. Undefined for a Job that is over, or that a CronJob has created, because the
 * CronJob has the same template.
 */
function readWorkload(object: JsonObject, kind: WorkloadKind): ObservedWorkload | undefined {
  const ref = refOf(object);
  if (ref === undefined || (kind === 'Job' && isOverOrOwned(object))) return undefined;
  const template = podTemplateOf(object, kind);
  const labels = readTexts(objectOf(template['metadata'])['labels']);
  const spec = objectOf(object['spec']);
  return {
    ref: { kind, ...ref },
    template,
    labels,
    selector: kind === 'Job' || kind === 'CronJob' ? ownLabels(labels) : readLabelSelector(spec['selector']),
    governingService: kind === 'StatefulSet' ? textOf(spec['serviceName']) : undefined,
  };
}

/** Sorts objects of any kind into what they are read as. */
export function readObjects(objects: readonly JsonObject[]): Observed {
  const kindOf = (object: JsonObject) => workloadKindNames.find((kind) => kind === object['kind']);
  return {
    services: objects.flatMap((object) => (object['kind'] === 'Service' ? (readService(object) ?? []) : [])),
    workloads: objects.flatMap((object) => {
      const kind = kindOf(object);
      return kind === undefined ? [] : (readWorkload(object, kind) ?? []);
    }),
    configMaps: new Map(
      objects.flatMap((object) => {
        const ref = object['kind'] === 'ConfigMap' ? refOf(object) : undefined;
        return ref === undefined ? [] : [[`${ref.namespace}/${ref.name}`, readTexts(object['data'])] as const];
      }),
    ),
  };
}

/** Names from files may be any text, and names become part of commands and pictures. */
function refOf(object: JsonObject): ServiceRef | undefined {
  const { namespace, name } = objectOf(object['metadata']);
  if (typeof namespace !== 'string' || !dnsLabel.pattern.test(namespace)) return undefined;
  return typeof name === 'string' && dnsSubdomain.pattern.test(name) ? { namespace, name } : undefined;
}

function isOverOrOwned({ metadata, status }: JsonObject): boolean {
  return (
    controllerOf(objectOf(metadata))?.['kind'] === 'CronJob' ||
    trueConditions(objectOf(status)).some(({ type }) => type === 'Complete' || type === 'Failed')
  );
}

function ownLabels(labels: Readonly<Record<string, string>>): LabelSelector | undefined {
  const own = Object.entries(labels).filter(([key]) => !generatedJobLabels.has(key));
  return own.length === 0 ? undefined : { matchLabels: Object.fromEntries(own) };
}
