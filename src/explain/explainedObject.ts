import { keyOf, objectText } from '@weeder/kube-runtime/objects';
import { serviceStates } from '@weeder/live-page';
import { printable } from '../base/printable.ts';
import type { WrittenEvent } from '../weeder/report/podReport.ts';
import { eventLine } from './eventLine.ts';
import type { ExplainedDependants, ExplainedNamespace } from './explainedServices.ts';
import { explainDependants } from './explainService.ts';
import { describeExternalName } from './externalNames.ts';

/** The answer about one pod, service or workload that was asked about. */
export interface ExplainedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Why weeder acts on it or not, in words. */
  readonly answer: string;
  /** Of a Service of type ExternalName: the DNS name. */
  readonly externalName?: string;
  /** Of a service, in words. */
  readonly settings?: string;
  /** Of a pod: the services in whose windows it would be deleted. */
  readonly services?: readonly ExplainedDependency[];
  /** Of a service. */
  readonly dependants?: readonly ExplainedDependants[];
  /** Of a workload: what it uses, its last restart, and its pods. */
  readonly details?: readonly string[];
  /** Those of weeder about it, oldest first. */
  readonly events: readonly WrittenEvent[];
}

/** A service that a pod depends on. */
export interface ExplainedDependency extends Pick<ExplainedNamespace, 'namespace' | 'state'> {
  readonly name: string;
  /** What weeder would do with the pod in a window of the service, in words; undefined: it does not crash-loop. */
  readonly verdict?: string;
}

/** The answer as lines of text. */
export function explainObject(explained: ExplainedObject): string[] {
  const { answer, externalName, settings, services = [], dependants = [], details = [], events } = explained;
  return [
    `${objectText(explained)}: ${printable(answer)}`,
    ...(externalName === undefined ? [] : [`  ${describeExternalName(externalName)}`]),
    ...(settings === undefined ? [] : [`  settings: ${settings}`]),
    ...services.map(serviceLine),
    ...dependants.map(explainDependants),
    ...details.map((line) => `  ${printable(line)}`),
    ...events.map(eventLine),
  ];
}

function serviceLine({ namespace, name, state, verdict }: ExplainedDependency): string {
  const line = `  service ${keyOf(namespace, name)}: ${serviceStates[state].words}`;
  return verdict === undefined ? line : `${line}  → ${verdict}`;
}
