import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { keyOf } from '@weeder/kube-runtime/objects';
import { printable } from '../base/printable.ts';

/** The Services of type ExternalName, by `namespace/name`, with the DNS name that they stand for. */
export type ExternalNames = ReadonlyMap<string, string>;

export function externalNamesOf(objects: readonly JsonObject[]): ExternalNames {
  return new Map(
    objects.flatMap((object) => {
      const { namespace, name } = objectOf(object['metadata']);
      const { type, externalName } = objectOf(object['spec']);
      if (object['kind'] !== 'Service' || type !== 'ExternalName') return [];
      return [[keyOf(textOf(namespace) ?? '', textOf(name) ?? ''), textOf(externalName) ?? '']];
    }),
  );
}

/** Why weeder does not know the readiness of such a Service, and what can be done, in a clause without a full stop. */
export function describeExternalName(externalName: string): string {
  const [name = '', namespace = '', suffix] = externalName.split('.');
  const instead =
    suffix === 'svc'
      ? `name ${namespace}/${name} instead, the Service that it stands for`
      : 'name a Service without a selector instead, whose EndpointSlices you keep up to date';
  return printable(
    `is of type ExternalName (${externalName}): it has no EndpointSlices, and weeder cannot know whether it is ready; ${instead}`,
  );
}
