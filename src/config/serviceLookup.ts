import { keyOf } from '@weeder/kube-runtime/objects';
import {
  type Config,
  type DeclaredConfig,
  isConfigured,
  type ServiceConfig,
  type ServiceSettings,
  type Webhooks,
} from './config.ts';

/** A service in one namespace, by the config, by the declarations of pods, and by webhooks. */
export interface WatchedService
  extends ServiceSettings,
    Pick<ServiceConfig, 'podSelectors' | 'selectorLines' | 'dependantNamespaces'>,
    Pick<DeclaredConfig, 'siblingEvidence'> {
  /** The section of the config with its settings. */
  readonly section: 'services' | 'declaredDependencies' | 'podCreation';
  /** The namespaces of the pods that are dependants if they declare the service. */
  readonly declaredIn: 'none' | 'all' | readonly string[];
  /** A webhook calls it without which no pod can be created. */
  readonly isOfWebhook: boolean;
}

/** Finds the service of this name in this namespace. Undefined: it is not watched there. */
export type ServiceLookup = (namespace: string, service: string) => WatchedService | undefined;

/**
 * The settings of a service that the config names also apply if pods declare it or webhooks call it, and those of
 * `declaredDependencies` if both do.
 */
export function lookupOf({ services, declared, podCreation }: Config): ServiceLookup {
  const declaredIn: WatchedService['declaredIn'] = declared?.namespaces ?? 'none';
  const called = new Set([...(podCreation?.webhooks.values() ?? [])].flatMap((each) => [...each]));
  const { siblingEvidence } = declared ?? {};
  const own = { section: 'services', declaredIn, ...(siblingEvidence && { siblingEvidence }) } as const;
  const configured = new Map(
    [...services].map(([name, service]) => [name, withAndWithoutWebhook({ ...service, ...own })]),
  );
  const unnamed = { podSelectors: [], dependantNamespaces: 'same' } as const;
  const others =
    declared && withAndWithoutWebhook({ ...declared, ...unnamed, section: 'declaredDependencies', declaredIn });
  const ofWebhooks =
    podCreation &&
    withAndWithoutWebhook({ ...ofPods, ...podCreation, ...unnamed, section: 'podCreation', declaredIn: 'none' });
  return (namespace, name) => {
    const key = keyOf(namespace, name);
    const isCalled = called.has(key);
    const section = isConfigured(services.get(name), namespace)
      ? configured.get(name)
      : declared?.services.has(key) === true
        ? others
        : isCalled
          ? ofWebhooks
          : undefined;
    return isCalled ? section?.with : section?.without;
  };
}

/** The config with the services that pods declare now, as `namespace/name`. */
export function withDeclared(config: Config, services: ReadonlySet<string>): Config {
  return config.declared === undefined ? config : { ...config, declared: { ...config.declared, services } };
}

/** The config with the webhooks that the cluster has now. */
export function withWebhooks(config: Config, webhooks: Webhooks): Config {
  return config.podCreation === undefined ? config : { ...config, podCreation: { ...config.podCreation, webhooks } };
}

/** No pods depend on a service that only webhooks call, by what weeder knows. */
const ofPods = {
  barePods: 'keep',
  deletion: 'delete',
  gracePeriodSeconds: undefined,
  pace: undefined,
  maintenanceWindows: [],
} as const;

/** Both are made once, because a service is looked up often. */
function withAndWithoutWebhook(service: Omit<WatchedService, 'isOfWebhook'>) {
  return { with: { ...service, isOfWebhook: true }, without: { ...service, isOfWebhook: false } };
}
