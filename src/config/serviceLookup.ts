import { keyOf } from '@weeder/kube-runtime/objects';
import { type Config, type DeclaredConfig, isConfigured, type ServiceConfig, type ServiceSettings } from './config.ts';

/** A service in one namespace, by the config and by the declarations of pods. */
export interface WatchedService
  extends ServiceSettings,
    Pick<ServiceConfig, 'podSelectors' | 'selectorLines' | 'dependantNamespaces'>,
    Pick<DeclaredConfig, 'siblingEvidence'> {
  /** The section of the config with its settings. */
  readonly section: 'services' | 'declaredDependencies';
  /** The namespaces of the pods that are dependants if they declare the service. */
  readonly declaredIn: 'none' | 'all' | readonly string[];
}

/** Finds the service of this name in this namespace. Undefined: it is not watched there. */
export type ServiceLookup = (namespace: string, service: string) => WatchedService | undefined;

/** The settings of a service that the config names also apply if pods declare it. */
export function lookupOf({ services, declared }: Config): ServiceLookup {
  const declaredIn: WatchedService['declaredIn'] = declared?.namespaces ?? 'none';
  const { siblingEvidence } = declared ?? {};
  const own = { section: 'services' as const, declaredIn, ...(siblingEvidence && { siblingEvidence }) };
  const configured = new Map([...services].map(([name, service]) => [name, { ...service, ...own }]));
  const others = declared && {
    ...declared,
    section: 'declaredDependencies' as const,
    podSelectors: [],
    dependantNamespaces: 'same' as const,
    declaredIn,
  };
  return (namespace, name) => {
    if (isConfigured(services.get(name), namespace)) return configured.get(name);
    return declared?.services.has(keyOf(namespace, name)) === true ? others : undefined;
  };
}

/** The config with the services that pods declare now, as `namespace/name`. */
export function withDeclared(config: Config, services: ReadonlySet<string>): Config {
  return config.declared === undefined ? config : { ...config, declared: { ...config.declared, services } };
}
