import { objectOf } from '@weeder/kube-runtime/base';
import { declaredServices, declaringMetadata } from '../dependencies/declared.ts';
import { type DependantRef, type Dependency, dependantKey, type ServiceRef } from '../dependencies/dependency.ts';
import { dependsOn } from '../weeder/declared/declaration.ts';
import type { Observed, ObservedWorkload } from './observed.ts';
import { reasonOf } from './suggestionTable.ts';

/**
 * The kubectl commands that declare what is only suggested on the pod templates, with the reasons as comments. What a
 * template declares already stays.
 */
export function suggestionLabels(dependencies: readonly Dependency[], observed: Observed): string[] {
  const groups = Map.groupBy(dependencies.filter(isNew), ({ workload }) => dependantKey(workload));
  const templates = new Map(observed.workloads.map(({ ref, template }) => [dependantKey(ref), template]));
  const blocks = [...groups].flatMap(([key, [first, ...others]]) => {
    if (first === undefined) return [];
    const { workload } = first;
    const declared = declaredServices(templates.get(key) ?? {}, workload.namespace);
    const added = [first, ...others];
    return [...added.flatMap(reasons), commandFor(workload, [...declared, ...added.map(({ service }) => service)])];
  });
  if (blocks.length === 0) return ['# every dependency that was found is declared or configured'];
  return ['# A change of a pod template replaces the pods.', ...blocks];
}

/** Whether neither the config nor the workload names it. */
export function isNew({ sources }: Dependency): boolean {
  return sources.every((source) => source === 'suggested');
}

/** What a pod template lacks to declare the service, too: `label weeder.dev/depends-on: db`. */
export function missingDeclaration(service: ServiceRef, { ref: { namespace }, template }: ObservedWorkload): string {
  const own = objectOf(template['metadata']);
  const declaring = declaringMetadata([...declaredServices(template, namespace), service], namespace);
  const lacks = (of: 'label' | 'annotation') => {
    const has = objectOf(own[`${of}s`]);
    return Object.entries(objectOf(declaring[`${of}s`]))
      .filter(([key, value]) => has[key] !== value)
      .map(([key, value]) => `${of} ${key}: ${value}`);
  };
  return [...lacks('label'), ...lacks('annotation')].join(', ');
}

function reasons({ service, confidence, evidence }: Dependency): string[] {
  return evidence.slice(0, 1).map((each) => `# ${confidence}: ${service.namespace}/${service.name}, ${reasonOf(each)}`);
}

function commandFor({ kind, namespace, name }: DependantRef, services: readonly ServiceRef[]): string {
  if (kind === 'Job' || kind === 'Pod')
    return `# ${kind.toLowerCase()} ${namespace}/${name}: set the label ${dependsOn} where it is created; it cannot be changed`;
  const template = { template: { metadata: declaringMetadata(services, namespace) } };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: template } } : template;
  return `kubectl patch ${kind.toLowerCase()} ${name} -n ${namespace} --type merge -p '${JSON.stringify({ spec })}'`;
}
