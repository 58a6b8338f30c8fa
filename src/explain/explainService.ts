import { keyOf, objectText } from '@weeder/kube-runtime/objects';
import { serviceStates } from '@weeder/live-page';
import { printable } from '../base/printable.ts';
import type { ExplainedDependants, ExplainedNamespace, ExplainedService } from './explainedServices.ts';
import { describeExternalName } from './externalNames.ts';
import type { ClusterView } from './inspectCluster.ts';

/** Describes a service, as lines of text. */
export function explainService(service: ExplainedService): string {
  const { name, settings, namespaces } = service;
  if (service.source === 'declared') return namespaces.map((each) => explainDeclared(service, each)).join('\n');
  const head = `${name}  (${settings})`;
  if (namespaces.length === 0) return `${head}\n  no watched namespace has an EndpointSlice of this service`;
  return [head, ...namespaces.map(({ namespace, ...seen }) => `  ${namespace}: ${stateOf(seen)}`)].join('\n');
}

function explainDeclared({ name, settings }: ExplainedService, { namespace, ...seen }: ExplainedNamespace): string {
  const place = seen.state === 'absent' ? '' : `${namespace}: `;
  return `${keyOf(namespace, name)}  (declared, ${settings})\n  ${place}${stateOf(seen)}`;
}

/** The state, and the dependants below it. */
function stateOf({ state, externalName, dependants }: Omit<ExplainedNamespace, 'namespace'>): string {
  const absent =
    externalName === undefined
      ? 'the namespace has no EndpointSlice of this service'
      : describeExternalName(externalName);
  return [state === 'absent' ? absent : serviceStates[state].words, ...dependants.map(explainDependants)].join('\n');
}

/** Describes dependants, as lines of text. */
export function explainDependants({ selector, pods, crashLooping, neverStarted }: ExplainedDependants): string {
  return [
    `    ${selector}: ${pods} ${pods === 1 ? 'pod' : 'pods'}, ${crashLooping.length} crash-looping`,
    ...crashLooping.map(
      ({ namespace, name, containerKind, container, restarts, backOff, verdict }) =>
        `      ${namespace}/${name}  ${containerKind} ${container}, restarts ${restarts}, ${backOff}  → ${verdict}`,
    ),
    ...neverStarted.map(
      ({ namespace, name, container, reason, because }) =>
        `      ${namespace}/${name}  container ${container}, ${reason}  → left alone: ${because}`,
    ),
  ]
    .map(printable)
    .join('\n');
}

/** What is wrong with the declarations of pods, and whether there are any, as sections of text. */
export function explainDeclarations({ claims, config: { declared } }: ClusterView): string[] {
  const workloads = claims.flatMap(({ workload, about }) =>
    'problem' in about ? [`  ${objectText(workload)}: ${printable(about.problem)}`] : [],
  );
  const isUnused = declared !== undefined && declared.services.size === 0;
  return [
    ...(workloads.length === 0 ? [] : [['problems with declared dependencies', ...workloads.sort()].join('\n')]),
    ...(isUnused ? ['no pod declares a dependency'] : []),
  ];
}
