import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { partsOf } from '@weeder/kube-runtime/objects';
import { dependsOn, dependsOnServices, servicesDeclaredBy } from '../weeder/declared/declaration.ts';
import type { ServiceRef } from './dependency.ts';

/** The services that the pods of a template declare in this namespace. Malformed names are left out. */
export function declaredServices(template: JsonObject, namespace: string): ServiceRef[] {
  return servicesDeclaredBy({ metadata: { ...objectOf(template['metadata']), namespace } }).map(partsOf);
}

/** The limit of the value of a label. Characters. */
const longestLabel = 63;

/** The metadata of a pod template that declares these services, of which there is at least one. */
export function declaringMetadata(services: readonly ServiceRef[], ownNamespace: string): JsonObject {
  const names = services.map(({ namespace, name }) => (namespace === ownNamespace ? name : `${name}.${namespace}`));
  const [first = '', ...others] = names;
  const [label, listed] = first.length > longestLabel ? ['', names] : [first, others];
  const annotations = listed.length === 0 ? {} : { annotations: { [dependsOnServices]: listed.join(', ') } };
  return { labels: { [dependsOn]: label }, ...annotations };
}
