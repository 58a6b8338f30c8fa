import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { dnsLabel, keyOf, namespaceOf } from '@weeder/kube-runtime/objects';
import { quoted } from '../../base/fieldError.ts';

/** The label by which a pod declares a dependency: its value names a service, or is empty. */
export const dependsOn = 'weeder.dev/depends-on';
/** The annotation beside the label: more services, separated by commas. */
export const dependsOnServices = 'weeder.dev/depends-on-services';

/** Where a pod names a service. */
export type DeclaredBy = 'label' | 'annotation';

/** What a pod has written into the label and the annotation. */
export interface Written {
  readonly label: string;
  /** Undefined: the pod has no such annotation. */
  readonly annotation: string | undefined;
}

/** What a pod declares. */
export interface Declaration {
  /** As `namespace/name`, without duplicates. */
  readonly services: readonly string[];
  /** The one of them that the label names. */
  readonly labelled: string | undefined;
  /** What is wrong, in clauses without a full stop: the first three. */
  readonly problems: readonly string[];
  /** How many more there are. */
  readonly furtherProblems: number;
}

/** How many problems are named. */
export const maxListed = 3;

/** The number of services that count for one pod. */
const maxServices = 20;
/** A longer list is not read to its end. */
const maxEntries = 200;

/** Reads the label and the annotation of a pod, as the API serves it. Undefined: the pod does not have the label. */
export function writtenOn(pod: unknown): Written | undefined {
  const { labels, annotations } = objectOf(objectOf(pod)['metadata']);
  const label = textOf(objectOf(labels)[dependsOn]);
  return label === undefined ? undefined : { label, annotation: textOf(objectOf(annotations)[dependsOnServices]) };
}

/** Returns what a pod of this namespace declares. */
export function declarationOf({ label, annotation = '' }: Written, namespace: string): Declaration {
  const entries = [label, ...annotation.split(',', maxEntries)].map((entry) => entry.trim()).filter((each) => each);
  /** Each service as it was written first. */
  const services = new Map<string, string>();
  const problems: string[] = [];
  for (const entry of entries) {
    const service = serviceOf(entry, namespace);
    const settings = services.get(service ?? '');
    if (service === undefined) problems.push(malformed(entry));
    else if (settings === undefined) services.set(service, entry);
    else if (settings !== entry)
      problems.push(`${quoted(settings)} and ${quoted(entry)} are the same service: one is enough`);
  }
  if (entries.length === 0) problems.push(`no service is named: give the label a value, or add ${dependsOnServices}`);
  const excess = services.size - maxServices;
  if (excess > 0) problems.push(`more than ${maxServices} services are named: the last ${excess} are ignored`);
  return {
    services: [...services.keys()].slice(0, maxServices),
    labelled: serviceOf(label.trim(), namespace),
    problems: problems.slice(0, maxListed),
    furtherProblems: Math.max(0, problems.length - maxListed),
  };
}

/** Returns the services that a pod declares, as `namespace/name`. */
export function servicesDeclaredBy(pod: unknown): readonly string[] {
  const written = writtenOn(pod);
  return written === undefined ? [] : declarationOf(written, namespaceOf(pod)).services;
}

/**
 * The groups of a pod in the index of declared dependants: for each service that it declares one, and one for the
 * combination with the namespace of the pod.
 */
export function groupsOfDeclared(pod: unknown): readonly string[] {
  return servicesDeclaredBy(pod).flatMap((service) => groupsOfService(service, namespaceOf(pod)));
}

/** Those of a pod of this namespace for one service. */
export function groupsOfService(service: string, namespace: string): readonly string[] {
  return [service, groupFrom(service, namespace)];
}

/** The groups with the declared dependants of a service, if only pods of these namespaces count. */
export function declaredScope(service: string, namespaces: 'all' | readonly string[]): readonly string[] {
  return namespaces === 'all' ? [service] : namespaces.map((namespace) => groupFrom(service, namespace));
}

function groupFrom(service: string, namespace: string): string {
  return `${service} from ${namespace}`;
}

/** Names of services and namespaces have no dots. */
function serviceOf(entry: string, namespace: string): string | undefined {
  const [name = '', serviceNamespace = namespace, ...rest] = entry.split('.');
  const isValid = dnsLabel.pattern.test(name) && dnsLabel.pattern.test(serviceNamespace) && rest.length === 0;
  return isValid ? keyOf(serviceNamespace, name) : undefined;
}

function malformed(entry: string): string {
  const [name = '', namespace = '', suffix] = entry.split('.');
  const allowed = 'write NAME, or NAME.NAMESPACE for a service of another namespace';
  const isDnsName = suffix === 'svc' && serviceOf(`${name}.${namespace}`, '') !== undefined;
  return `${quoted(entry)} names no service: ${isDnsName ? `write ${name}.${namespace}` : allowed}`;
}
