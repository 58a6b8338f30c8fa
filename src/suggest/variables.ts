import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { SourceKind } from '../restart/references/refs.ts';
import type { SourceData } from './sources.ts';

/** A variable of a container whose value is known. */
interface Variable {
  readonly text: string;
  /** The value contains something of a Secret. */
  readonly isSecret: boolean;
  /** The value is in the template, it is one key of a source, or it belongs to a source that is taken whole. */
  readonly from: 'template' | KeyReference | 'whole';
}

/** A key of a ConfigMap or Secret of the workload's namespace. */
interface KeyReference {
  readonly kind: SourceKind;
  readonly name: string;
  readonly key: string;
}

/** By their names. */
type Variables = ReadonlyMap<string, Variable>;

/** The data of a ConfigMap or Secret; empty, if it is not known. */
export type ReadSource = (kind: SourceKind, name: unknown) => SourceData;

/** Reads the environment in the order in which the kubelet does; later variables override earlier ones. */
export function readVariables(container: JsonObject, read: ReadSource): Variables {
  const variables = new Map(arrayOf(container['envFrom']).flatMap((source) => variablesFrom(objectOf(source), read)));
  const expand = createExpander(variables);
  for (const { name, value, valueFrom } of arrayOf(container['env']).map(objectOf)) {
    if (typeof name !== 'string') continue;
    const from = keyReferenceOf(objectOf(valueFrom));
    const text = from === undefined ? undefined : read(from.kind, from.name)[from.key];
    if (typeof value === 'string') variables.set(name, { ...expand(value), from: 'template' });
    else if (from === undefined || text === undefined) variables.delete(name);
    else variables.set(name, { text, isSecret: from.kind === 'Secret', from });
  }
  return variables;
}

function variablesFrom(source: JsonObject, read: ReadSource): [string, Variable][] {
  const prefix = textOf(source['prefix']) ?? '';
  const reference = source['secretRef'] ?? source['configMapRef'];
  const isSecret = source['secretRef'] !== undefined;
  const data = read(isSecret ? 'Secret' : 'ConfigMap', objectOf(reference)['name']);
  return Object.entries(data).map(([key, text]) => [prefix + key, { text, isSecret, from: 'whole' }]);
}

function keyReferenceOf({ configMapKeyRef, secretKeyRef }: JsonObject): KeyReference | undefined {
  const kind = secretKeyRef === undefined ? 'ConfigMap' : 'Secret';
  const { name, key } = objectOf(secretKeyRef ?? configMapKeyRef);
  return typeof name === 'string' && typeof key === 'string' ? { kind, name, key } : undefined;
}

/** The characters that variables may add to the texts of a container: variables of variables grow exponentially. */
const maxAdded = 1_000_000;

const reference = /\$(?:\((\w{1,253})\)|\{(\w{1,253})(?::?-([\w.:/-]{0,253}))?\}|([A-Za-z_]\w{0,252}))/g;

/** Replaces `$(NAME)`, which Kubernetes expands, and `${NAME}`, `$NAME` and `${NAME:-default}`, which shells do. */
export function createExpander(variables: Variables): (text: string) => Pick<Variable, 'text' | 'isSecret'> {
  let added = 0;
  return (given) => {
    let isSecret = false;
    const text = given.replace(reference, (whole, one?: string, other?: string, byDefault?: string, bare?: string) => {
      const variable = variables.get(one ?? other ?? bare ?? '');
      const value = variable?.text ?? byDefault;
      if (value === undefined || added + value.length > maxAdded) return whole;
      added += value.length;
      isSecret ||= variable?.isSecret === true;
      return value;
    });
    return { text, isSecret };
  };
}
