import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import { isScalar } from 'yaml';
import { z } from 'zod';
import { type Path, quoted } from '../../base/fieldError.ts';
import { misreading } from './scalars.ts';

/**
 * The text of a mapping's key, or why it is invalid. Like Kubernetes' tools, this converts the key 80 into the text
 * `80`.
 */
export function keyOf(node: unknown, takesNumbers = false): Result<string, string> {
  if (!isScalar(node))
    return failed('a key is a list or a mapping, expected a text; is this a template that was not rendered?');
  if (node.tag !== undefined || node.type !== 'PLAIN') return usable(String(node.value));
  const source = node.source ?? '';
  if (source === '') return failed('a key is missing before the ":"');
  const misread = misreading(source);
  if (misread === undefined || (takesNumbers && /^(?:0|[1-9][0-9]*)$/.test(source))) return usable(source);
  return failed(`the key ${source} is read as ${misread}; write it in quotes: "${source}"`);
}

/** JavaScript treats this one key specially, and no name in Kubernetes has this form. */
function usable(key: string): Result<string, string> {
  return key === '__proto__' ? failed(`the key ${quoted(key)} is not allowed`) : ok(key);
}

/** The keys that are allowed in the mapping at a path of the schema; none if there is no mapping with fixed keys. */
export function keysBelow(schema: unknown, path: Path): readonly string[] {
  let here: unknown = bare(schema, undefined);
  for (const [index, step] of path.entries()) here = bare(below(here, step), path[index + 1]);
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

function below(schema: unknown, step: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[String(step)];
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodArray ? schema.element : undefined;
}

/** The schema of a key without its optional wrappers; of a union, the branch that contains the next step. */
function bare(schema: unknown, next: PropertyKey | undefined): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return bare(schema.unwrap(), next);
  if (schema instanceof z.ZodPreprocess) return bare(schema.out, next);
  if (!(schema instanceof z.ZodUnion)) return schema;
  const isList = (option: unknown) => option instanceof z.ZodArray;
  return schema.options.find((option) => isList(option) === (typeof next === 'number'));
}
