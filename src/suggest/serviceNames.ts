import { serviceKey } from '../dependencies/dependency.ts';
import type { ObservedService } from './observed.ts';

/** A Service that a host name means, and how the name is written. */
export interface NamedService {
  readonly service: ObservedService;
  /**
   * `name`: `postgres`. `namespaced`: `postgres.shop`, or a pod of a headless Service, `kafka-0.kafka`. `qualified`:
   * with `svc`, as in `postgres.shop.svc.cluster.local`.
   */
  readonly form: 'name' | 'namespaced' | 'qualified';
}

/** Finds Services by the names that the DNS of a cluster gives them. */
export interface ServiceNames {
  /** What a pod of this namespace reaches by the host name. */
  find(host: string, namespace: string): NamedService | undefined;
  /** The Service of the variables `NAME_SERVICE_HOST` and `NAME_SERVICE_PORT`, which the kubelet sets. */
  findByVariable(name: string, namespace: string): ObservedService | undefined;
}

export function createServiceNames(services: readonly ObservedService[]): ServiceNames {
  const byKey = new Map(services.map((service) => [serviceKey(service), service]));
  const byVariable = new Map(
    services.map((service) => [`${service.namespace}/${service.name.toUpperCase().replaceAll('-', '_')}`, service]),
  );

  /** The Service itself. */
  function ofService([name = '', namespace, svc]: readonly string[], own: string): NamedService | undefined {
    const service = byKey.get(serviceKey({ namespace: namespace ?? own, name }));
    if (service === undefined || (svc !== undefined && svc !== 'svc')) return undefined;
    if (namespace === undefined) return { service, form: 'name' };
    return { service, form: svc === undefined ? 'namespaced' : 'qualified' };
  }

  /** A pod of a headless Service: its host name, and then the name of the Service. */
  function ofPod([, ...rest]: readonly string[], own: string): NamedService | undefined {
    if (rest.length === 0) return undefined;
    const service = ofService(rest, own);
    if (service?.service.isHeadless !== true) return undefined;
    return { service: service.service, form: service.form === 'name' ? 'namespaced' : service.form };
  }

  return {
    find(host, namespace) {
      const labels = host.split('.');
      return ofService(labels, namespace) ?? ofPod(labels, namespace);
    },
    findByVariable: (name, namespace) => byVariable.get(`${namespace}/${name}`),
  };
}
