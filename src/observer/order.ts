import { arrayOf, type JsonObject, objectOf, textOf } from '../json.ts';
import type { Identity } from './identity.ts';

/** What the rest may need before it can be applied at all. */
const first = [
  { group: '', kind: 'Namespace' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
] as const;

interface WithIdentity {
  readonly identity: Identity;
}

/** Namespaces, then definitions of kinds, then the rest; among each, the order of the manifests. */
export function inApplyOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((one, other) => stageOf(one.identity) - stageOf(other.identity));
}

/** The other way round, so that nothing goes away with the namespace or the kind that it lives in. */
export function inDeletionOrder<T extends WithIdentity>(resources: readonly T[]): readonly T[] {
  return inApplyOrder(resources).toReversed();
}

function stageOf({ group, kind }: Identity): number {
  const stage = first.findIndex((each) => each.group === group && each.kind === kind);
  return stage === -1 ? first.length : stage;
}

/** The kind that a CustomResourceDefinition defines; undefined: the object is none, or says nothing. */
export function definedKind(identity: Identity, object: JsonObject): { group: string; kind: string } | undefined {
  if (stageOf(identity) !== 1) return undefined;
  const spec = objectOf(object['spec']);
  const [group, kind] = [textOf(spec['group']), textOf(objectOf(spec['names'])['kind'])];
  return group === undefined || kind === undefined ? undefined : { group, kind };
}

/** Whether a CustomResourceDefinition, as the API server has it, is served. The API server follows a moment later. */
export function isEstablished(definition: JsonObject): boolean {
  return arrayOf(objectOf(definition['status'])['conditions'])
    .map(objectOf)
    .some(({ type, status }) => type === 'Established' && status === 'True');
}
