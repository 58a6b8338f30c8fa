import { resources as builtIn } from '@weeder/embedded-cluster/resources';
import { identityKey } from '../../../src/observer/objects/identity.ts';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';
import { definitionOf } from '../objects/definition.ts';
import { customKind } from '../world/simulatedServer.ts';

const namespace = 'shop';

/** The key of an object such as `ConfigMap/settings`. Kinds that are not built in are of the group `example.org`. */
export function fullKey(text: string): string {
  const [kind = '', name = ''] = text.split('/');
  const { group, isNamespaced } = builtIn.find((each) => each.kind === kind) ?? {
    group: 'example.org',
    isNamespaced: kind !== globe.kind,
  };
  return identityKey({ group, kind, namespace: isNamespaced ? namespace : '', name });
}

/** A cluster-scoped kind that every world has. */
export const globe: RestMapping = {
  group: 'example.org',
  version: 'v1',
  kind: 'Globe',
  plural: 'globes',
  isNamespaced: false,
};

export const globes = customKind(definitionOf(globe));
