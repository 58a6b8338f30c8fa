import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { apiPath, keyOf, nameIn } from '@weeder/kube-runtime/objects';
import { addTo } from '../../base/mapOfSets.ts';
import type { Webhooks } from '../../config/config.ts';

/** A webhook without which no pod can be created. */
export interface PodWebhook {
  /** As messages name it; several configurations may have webhooks of one name. */
  readonly name: string;
  /** The Service that it calls: `namespace/name`. */
  readonly service: string;
}

/**
 * The webhooks of a ValidatingWebhookConfiguration or MutatingWebhookConfiguration that are called for the creation of
 * pods, and whose failure refuses it. Selectors and match conditions do not count: the message of a failed creation
 * names the webhook. A webhook at a `url` has no Service whose readiness weeder could observe.
 */
export function podWebhooksOf(configuration: JsonObject): PodWebhook[] {
  return arrayOf(configuration['webhooks'])
    .map(objectOf)
    .flatMap((webhook) => {
      const { namespace, name: service } = objectOf(objectOf(webhook['clientConfig'])['service']);
      const name = nameIn(webhook['name']);
      const isRequired = (webhook['failurePolicy'] ?? 'Fail') === 'Fail';
      const isOfPods = arrayOf(webhook['rules']).map(objectOf).some(matchesCreationOfPods);
      if (name === undefined || !isRequired || !isOfPods) return [];
      const [home, target] = [nameIn(namespace), nameIn(service)];
      return home === undefined || target === undefined ? [] : [{ name, service: keyOf(home, target) }];
    });
}

/** The lists of all configurations of webhooks, which are cluster-scoped. */
export const webhookStreams = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) => {
  const name = `${kind.toLowerCase()}s`;
  return { name, kind, path: apiPath('admissionregistration.k8s.io/v1', name), labelSelector: '' };
});

/** The Services by the name of the webhook. */
export function servicesByWebhook(webhooks: Iterable<PodWebhook>): Webhooks {
  const services = new Map<string, Set<string>>();
  for (const { name, service } of webhooks) addTo(services, name, service);
  return services;
}

/** `*` is each resource, without subresources; `pods/*` has only subresources. */
function matchesCreationOfPods({ operations, apiGroups, apiVersions, resources, scope }: JsonObject): boolean {
  const has = (list: unknown, ...names: readonly string[]) =>
    arrayOf(list).some((each) => names.includes(String(each)));
  return (
    has(operations, '*', 'CREATE') &&
    has(apiGroups, '*', '') &&
    has(apiVersions, '*', 'v1') &&
    has(resources, '*', '*/*', 'pods') &&
    scope !== 'Cluster'
  );
}
