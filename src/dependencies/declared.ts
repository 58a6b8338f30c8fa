import { type JsonObject, objectOf, textOf } from '../base/json.ts';
import { dnsLabel } from '../config/schema/names.ts';
import type { ServiceRef } from './dependency.ts';

/** In the labels of a pod template: the service that its pods depend on, `NAME` or `NAME.NAMESPACE`. */
export const dependsOnLabel = 'weeder.dev/depends-on';
/** In the annotations of a pod template: further services, separated by commas. */
export const alsoDependsOnAnnotation = 'weeder.dev/also-depends-on';

/** The services that a pod template declares, the one of the label first. Malformed names are left out. */
export function declaredServices(template: JsonObject, namespace: string): ServiceRef[] {
  const { labels, annotations } = objectOf(template['metadata']);
  const texts = [
    textOf(objectOf(labels)[dependsOnLabel]) ?? '',
    ...(textOf(objectOf(annotations)[alsoDependsOnAnnotation]) ?? '').split(','),
  ];
  return texts.flatMap((text) => readDeclared(text.trim(), namespace));
}

function readDeclared(text: string, ownNamespace: string): ServiceRef[] {
  const [name = '', namespace = ownNamespace, ...more] = text.split('.');
  const isValid = more.length === 0 && dnsLabel.pattern.test(name) && dnsLabel.pattern.test(namespace);
  return isValid ? [{ namespace, name }] : [];
}

/** How a workload of this namespace declares a service. */
export function declarationOf({ namespace, name }: ServiceRef, ownNamespace: string): string {
  return namespace === ownNamespace ? name : `${name}.${namespace}`;
}
