import type { LabelSelector } from '@weeder/kube-runtime/objects';
import { type Dependency, dependantKey } from '../dependencies/dependency.ts';
import type { Observed } from './observed.ts';
import { reasonOf } from './suggestionTable.ts';

/**
 * The section of a config for what is only suggested, with the reasons as comments. The config has one entry for each
 * name of a service: Services of the same name in several namespaces share their dependants' selectors.
 */
export function suggestionConfig(dependencies: readonly Dependency[], observed: Observed): string[] {
  const selectors = new Map(observed.workloads.map(({ ref, selector }) => [dependantKey(ref), selector]));
  const isNew = ({ sources }: Dependency) => sources.every((source) => source === 'suggested');
  const added = dependencies.filter((each) => isNew(each) && selectors.get(dependantKey(each.workload)) !== undefined);
  if (added.length === 0) return ['servicesAndDependantSelectors: {}'];
  const entries = [...Map.groupBy(added, ({ service }) => service.name)].flatMap(([name, group]) => [
    `  ${JSON.stringify(name)}:`,
    `    namespaces: ${JSON.stringify(distinct(group.map(({ service }) => service.namespace)))}`,
    ...dependantNamespaces(group),
    '    podSelectors:',
    ...group.flatMap(({ workload, evidence: [first], confidence }) => [
      ...(first === undefined ? [] : [`      # ${confidence}: ${dependantKey(workload)}, ${reasonOf(first)}`]),
      `      - ${JSON.stringify(withoutEmpty(selectors.get(dependantKey(workload)) ?? {}))}`,
    ]),
  ]);
  return ['servicesAndDependantSelectors:', ...entries];
}

function dependantNamespaces(group: readonly Dependency[]): string[] {
  if (group.every(({ service, workload }) => service.namespace === workload.namespace)) return [];
  return [`    dependantNamespaces: ${JSON.stringify(distinct(group.map(({ workload }) => workload.namespace)))}`];
}

function withoutEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): LabelSelector {
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
