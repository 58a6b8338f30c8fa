import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@weeder/kube-runtime/base';
import { selectorToString } from '@weeder/kube-runtime/objects';
import type { Config, DeclaredConfig, PodCreationConfig, ServiceConfig, ServiceSettings } from './config.ts';
import type { RestartConfig, RestartRule } from './restart.ts';

/** The difference between two configs: the names of the services, each list sorted, and which other sections changed. */
export interface ConfigChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Left out: it is unchanged, as with the next five. */
  readonly declaredDependencies?: SectionChange;
  readonly podCreation?: SectionChange;
  readonly evidence?: SectionChange;
  readonly restartControl?: SectionChange;
  readonly observer?: SectionChange;
  readonly notifications?: SectionChange;
}

type SectionChange = 'added' | 'changed' | 'removed';

export function compareConfigs(old: Config, next: Config): ConfigChange {
  const names = [...new Set([...old.services.keys(), ...next.services.keys()])].sort();
  const pairs = names.map((name) => ({ name, was: old.services.get(name), is: next.services.get(name) }));
  const declared = changeOf(settingsOf(old.declared), settingsOf(next.declared), isDeepStrictEqual);
  const podCreation = changeOf(fileOf(old.podCreation), fileOf(next.podCreation), isDeepStrictEqual);
  const evidence = changeOf(old.evidence, next.evidence, isDeepStrictEqual);
  const restartControl = changeOf(old.restart, next.restart, hasSameRestart);
  const observer = changeOf(old.observer, next.observer, isDeepStrictEqual);
  const notifications = changeOf(old.notifications, next.notifications, isDeepStrictEqual);
  const namesWhere = (isIncluded: (was?: ServiceConfig, is?: ServiceConfig) => boolean) =>
    pairs.filter(({ was, is }) => isIncluded(was, is)).map(({ name }) => name);
  return {
    added: namesWhere((was) => was === undefined),
    changed: namesWhere((was, is) => was !== undefined && is !== undefined && !isSame(was, is)),
    removed: namesWhere((_, is) => is === undefined),
    ...(declared && { declaredDependencies: declared }),
    ...(podCreation && { podCreation }),
    ...(evidence && { evidence }),
    ...(restartControl && { restartControl }),
    ...(observer && { observer }),
    ...(notifications && { notifications }),
  };
}

function changeOf<T>(
  was: T | undefined,
  is: T | undefined,
  isSame: (was: T | undefined, is: T | undefined) => boolean,
): SectionChange | undefined {
  if (isSame(was, is)) return undefined;
  if (was === undefined) return 'added';
  return is === undefined ? 'removed' : 'changed';
}

/** The section without the services that pods declare, which change while weeder runs. */
function settingsOf(declared: DeclaredConfig | undefined): object | undefined {
  return declared && { ...declared, services: undefined, namespaces: textOf(declared.namespaces) };
}

/** The section without the webhooks, which change while weeder runs. */
function fileOf(podCreation: PodCreationConfig | undefined): object | undefined {
  return podCreation && { ...podCreation, webhooks: undefined };
}

/** Whether both sections treat every workload the same. Only the order of the rules is significant. */
export function hasSameRestart(one: RestartConfig | undefined, other: RestartConfig | undefined): boolean {
  return meaningOfRestart(one) === meaningOfRestart(other);
}

/** What says how a service is handled. Further keys count, too. */
type Behaviour = Pick<ServiceConfig, 'podSelectors' | 'dependantNamespaces'> & ServiceSettings;

/**
 * Whether both configs treat a service the same, in every namespace. The order of lists is not significant, nor are the
 * name of the service and its place in the file.
 */
export function behavesTheSame(one: Behaviour, other: Behaviour): boolean {
  return one === other || meaningOf(one) === meaningOf(other);
}

function isSame(one: ServiceConfig, other: ServiceConfig): boolean {
  return behavesTheSame(one, other) && textOf(one.namespaces) === textOf(other.namespaces);
}

/** What is found while weeder runs, and where the file has the service. Every other key counts, also a new one. */
const excluded = {
  name: undefined,
  namespaces: undefined,
  section: undefined,
  selectorLines: undefined,
  services: undefined,
  webhooks: undefined,
} as const;

function meaningOf({ podSelectors, ...behaviour }: Behaviour): string {
  return JSON.stringify({ ...behaviour, ...excluded, podSelectors: podSelectors.map(selectorToString) }, inOneOrder);
}

function meaningOfRestart(restart: RestartConfig | undefined): string {
  const rules = restart?.rules.map(({ selector, ...rule }: RestartRule) => {
    return { ...rule, selector: selector === undefined ? 'all' : selectorToString(selector) };
  });
  return JSON.stringify({ ...restart, rules }, inOneOrder);
}

function inOneOrder(key: string, value: unknown): unknown {
  const list = value instanceof Set ? [...value] : value;
  if (isObject(list)) return Object.fromEntries(Object.entries(list).sort(([one], [other]) => (one < other ? -1 : 1)));
  if (!Array.isArray(list) || key === 'rules') return list;
  return [...new Set(list.map((each) => JSON.stringify(each, inOneOrder)))].sort();
}

function textOf(names: string | readonly string[]): string {
  return JSON.stringify(typeof names === 'string' ? names : [...new Set(names)].sort());
}
