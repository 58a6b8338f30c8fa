import { z } from 'zod';
import type { Path } from '../../base/fieldError.ts';

/** The keys that the mapping at a path of the schema may have; none where no mapping with fixed keys stands. */
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

/** What a key is, without what makes it optional; of a union, the branch in which the next step leads on. */
function bare(schema: unknown, next: PropertyKey | undefined): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return bare(schema.unwrap(), next);
  if (schema instanceof z.ZodPreprocess) return bare(schema.out, next);
  if (!(schema instanceof z.ZodUnion)) return schema;
  const isList = (option: unknown) => option instanceof z.ZodArray;
  return schema.options.find((option) => isList(option) === (typeof next === 'number'));
}
