import { formatPath, type Path } from '../../base/fieldError.ts';

/**
 * The errors of an observer schema, with their meaning and a hint. The message for users is written where the error is
 * found. It never contains a value, which may be a Secret's.
 */
export const schemaErrorTable = {
  notAList: {
    meaning: 'The observer schema is not a list.',
    hint: 'Write a list with one entry for each resource, each beginning with "- ".',
  },
  notAnObject: {
    meaning: 'An entry is not a partial resource.',
    hint: 'Write apiVersion, kind, metadata.name and the observed fields.',
  },
  apiVersion: {
    meaning: 'An entry has no apiVersion.',
    hint: 'Write the apiVersion of the manifest, such as v1 or apps/v1.',
  },
  kind: {
    meaning: 'An entry has no kind.',
    hint: 'Write the kind of the manifest, such as Deployment.',
  },
  name: {
    meaning: 'An entry has no metadata.name.',
    hint: 'Write metadata.name as the manifest has it.',
  },
  namespace: {
    meaning: 'The namespace of an entry is not a string.',
    hint: 'Write metadata.namespace as the manifest has it, or leave it out.',
  },
  duplicate: {
    meaning: 'Two entries identify the same resource.',
    hint: 'Put all observed fields of a resource into one entry.',
  },
  noSuchResource: {
    meaning: 'An entry identifies a resource that is not among the manifests.',
    hint: 'Correct apiVersion, kind, name or namespace, or remove the entry.',
  },
  nullsLost: {
    meaning: 'An entry, or a part of it, lists nothing.',
    hint: 'If nulls were written there, they were lost: kubectl apply removes them. Write observed, or use kubectl apply --server-side.',
  },
  leaf: {
    meaning: 'A field has a value in the schema.',
    hint: 'Write null or observed: the value belongs in the manifest.',
  },
  stringData: {
    meaning: 'The entry of a Secret lists stringData.',
    hint: 'List data: stringData is only a way to write it.',
  },
  status: {
    meaning: 'The status of a resource is listed.',
    hint: 'Remove it: controllers write the status, and weeder cannot correct it.',
  },
  serverOwned: {
    meaning: 'A field is listed that the API server or a controller of Kubernetes writes.',
    hint: 'Remove it.',
  },
  boundsMissing: {
    meaning: 'A list does not end with the bounds of its length.',
    hint: 'End it with an element of observer_schema_list_min_length and observer_schema_list_max_length (0: unlimited).',
  },
  boundsNotLast: {
    meaning: 'The bounds of a list are not its last element.',
    hint: 'Move them to the end of the list.',
  },
  boundsTwice: {
    meaning: 'A list has bounds more than once.',
    hint: 'Keep one element with bounds, at the end.',
  },
  boundsOutsideList: {
    meaning: 'Bounds of a list are in a map.',
    hint: 'Write them as the last element of the list that they apply to.',
  },
  unknownBound: {
    meaning: 'The element with the bounds of a list has an unknown key.',
    hint: 'Keys there are observer_schema_list_min_length, observer_schema_list_max_length and observer_schema_list_key.',
  },
  minLength: {
    meaning: 'The minimum length of a list is missing, or is not a whole number from 0.',
    hint: 'Write observer_schema_list_min_length as a whole number from 0, without quotes.',
  },
  maxLength: {
    meaning: 'The maximum length of a list is missing, or is not a whole number from 0.',
    hint: 'Write observer_schema_list_max_length as a whole number, without quotes; 0 means unlimited.',
  },
  maxBelowMin: {
    meaning: 'The maximum length of a list is below the minimum length.',
    hint: 'Raise observer_schema_list_max_length (0: unlimited), or lower observer_schema_list_min_length.',
  },
  maxBelowListed: {
    meaning: 'A list has more observed elements than its maximum length allows.',
    hint: 'Raise observer_schema_list_max_length (0: unlimited), or list fewer elements.',
  },
  listKey: {
    meaning: 'The list keys are neither a string nor a list of strings.',
    hint: 'Write observer_schema_list_key as a string, such as name, or as a list of strings.',
  },
  notAMapInManifest: {
    meaning: 'The schema lists fields where the manifest has no map.',
    hint: 'Write the schema in the form of the manifest, or observed for all fields that the manifest has there.',
  },
  notAListInManifest: {
    meaning: 'The schema lists elements where the manifest has no list.',
    hint: 'Write the schema in the form of the manifest, or observed for all fields that the manifest has there.',
  },
  minAboveManifest: {
    meaning: 'The minimum length of a list is above the length in the manifest.',
    hint: 'Lower observer_schema_list_min_length, or add elements to the manifest.',
  },
  maxBelowManifest: {
    meaning: 'The maximum length of a list is below the length in the manifest.',
    hint: 'Raise observer_schema_list_max_length (0: unlimited), or remove elements from the manifest.',
  },
  listKeyMissing: {
    meaning: 'An element of the manifest lacks a list key.',
    hint: 'Name keys in observer_schema_list_key that every element of the manifest has, with plain values.',
  },
  listKeyTwice: {
    meaning: 'Two elements of the manifest have the same values of the list keys.',
    hint: 'Name more keys in observer_schema_list_key, as a list.',
  },
  cyclic: {
    meaning: 'The schema contains itself.',
    hint: 'Remove the alias (*) that refers to what it is part of.',
  },
  tooDeep: {
    meaning: 'The schema is nested deeper than any resource.',
    hint: 'Remove levels; 200 are read.',
  },
  tooLarge: {
    meaning: 'The schema has more parts than are read.',
    hint: 'List fewer fields. An alias counts as often as it is used.',
  },
  tooMany: {
    meaning: 'There are more errors than are shown.',
    hint: 'Correct the others first.',
  },
} as const satisfies Record<string, { readonly meaning: string; readonly hint: string }>;

export type SchemaErrorCode = keyof typeof schemaErrorTable;

/** An error in an observer schema. */
export interface SchemaError {
  readonly code: SchemaErrorCode;
  /** The path from the top of the schema: `[1, 'spec', 'ports', 0]`. */
  readonly path: Path;
  /** The path as text for users: `observerSchema[1].spec.ports[0]`. */
  readonly where: string;
  /** A clause that follows the path. */
  readonly message: string;
  readonly hint: string;
}

export function schemaError(code: SchemaErrorCode, path: Path, message: string): SchemaError {
  const where = formatPath(['observerSchema', ...path]);
  return { code, path, where, message, hint: schemaErrorTable[code].hint };
}

/** Collects errors: the first hundred in full, and the number of the rest. */
export interface ErrorList {
  add(code: SchemaErrorCode, path: Path, message: string): void;
  readonly found: readonly SchemaError[];
}

const maxErrors = 100;

/** Returns the first hundred errors, and one error with the number of the rest. */
export function truncated(errors: readonly SchemaError[]): readonly SchemaError[] {
  const more = errors.length - maxErrors;
  return more <= 0 ? errors : [...errors.slice(0, maxErrors), schemaError('tooMany', [], `has ${more} more errors`)];
}

export function createErrorList(): ErrorList {
  const errors: SchemaError[] = [];
  let more = 0;
  return {
    add(code, path, message) {
      if (errors.length < maxErrors) errors.push(schemaError(code, path, message));
      else more += 1;
    },
    get found() {
      return more === 0 ? errors : [...errors, schemaError('tooMany', [], `has ${more} more errors`)];
    },
  };
}
