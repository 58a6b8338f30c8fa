import { formatPath, type Path } from '../../base/fieldError.ts';

/**
 * Every kind of fault that an observer schema can have: what it means in general, and what to do. The sentence that a
 * person reads is written where the fault is found; it never holds a value, which may be a Secret's.
 */
export const schemaErrorTable = {
  notAList: {
    meaning: 'The observer schema is not a list.',
    hint: 'Write a list with an entry a resource, each beginning with "- ".',
  },
  notAnObject: {
    meaning: 'An entry is not a partial resource.',
    hint: 'Write apiVersion, kind, metadata.name and the observed fields.',
  },
  apiVersion: {
    meaning: 'An entry does not say which API its resource has.',
    hint: 'Write the apiVersion of the manifest, such as v1 or apps/v1.',
  },
  kind: {
    meaning: 'An entry does not say which kind its resource has.',
    hint: 'Write the kind of the manifest, such as Deployment.',
  },
  name: {
    meaning: 'An entry does not say which name its resource has.',
    hint: 'Write metadata.name as the manifest has it.',
  },
  namespace: {
    meaning: 'The namespace of an entry is not a text.',
    hint: 'Write metadata.namespace as the manifest has it, or leave it out.',
  },
  duplicate: {
    meaning: 'Two entries are about one resource.',
    hint: 'Put all observed fields of a resource into one entry.',
  },
  noSuchResource: {
    meaning: 'An entry is about a resource that is not among the manifests.',
    hint: 'Correct apiVersion, kind, name or namespace, or remove the entry.',
  },
  nullsLost: {
    meaning: 'An entry, or a part of it, lists nothing.',
    hint: 'If nulls were written there, they were lost: kubectl apply removes them. Write observed, or use kubectl apply --server-side.',
  },
  leaf: {
    meaning: 'A field has a value in the schema.',
    hint: 'Write null or observed: the value itself belongs into the manifest.',
  },
  stringData: {
    meaning: 'The entry of a Secret lists stringData.',
    hint: 'List data: stringData is only a way to write it.',
  },
  status: {
    meaning: 'The status of a resource is listed.',
    hint: 'Remove it: a status is what others found out, and cannot be corrected.',
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
    meaning: 'Bounds of a list stand in a map.',
    hint: 'Write them as the last element of the list that they are about.',
  },
  unknownBound: {
    meaning: 'The element with the bounds of a list has a key that nobody knows.',
    hint: 'Keys there are observer_schema_list_min_length, observer_schema_list_max_length and observer_schema_list_key.',
  },
  minLength: {
    meaning: 'The least length of a list is missing, or no whole number from 0.',
    hint: 'Write observer_schema_list_min_length as a whole number from 0, without quotes.',
  },
  maxLength: {
    meaning: 'The greatest length of a list is missing, or no whole number from 0.',
    hint: 'Write observer_schema_list_max_length as a whole number, without quotes; 0 means unlimited.',
  },
  maxBelowMin: {
    meaning: 'The greatest length of a list is below the least.',
    hint: 'Raise observer_schema_list_max_length (0: unlimited), or lower observer_schema_list_min_length.',
  },
  maxBelowListed: {
    meaning: 'A list has more observed elements than its greatest length allows.',
    hint: 'Raise observer_schema_list_max_length (0: unlimited), or list fewer elements.',
  },
  listKey: {
    meaning: 'What tells the elements of a list apart is neither a key nor a list of keys.',
    hint: 'Write observer_schema_list_key as a text, such as name, or as a list of texts.',
  },
  notAMapInManifest: {
    meaning: 'The schema lists fields where the manifest has no map.',
    hint: 'Write the schema in the form of the manifest, or observed for all that is there.',
  },
  notAListInManifest: {
    meaning: 'The schema lists elements where the manifest has no list.',
    hint: 'Write the schema in the form of the manifest, or observed for all that is there.',
  },
  minAboveManifest: {
    meaning: 'The least length of a list is above what the manifest has.',
    hint: 'Lower observer_schema_list_min_length, or add elements to the manifest.',
  },
  maxBelowManifest: {
    meaning: 'The greatest length of a list is below what the manifest has.',
    hint: 'Raise observer_schema_list_max_length (0: unlimited), or remove elements from the manifest.',
  },
  listKeyMissing: {
    meaning: 'An element of the manifest lacks the key that is to tell it from the others.',
    hint: 'Name keys in observer_schema_list_key that every element of the manifest has, with plain values.',
  },
  listKeyTwice: {
    meaning: 'Two elements of the manifest are the same by the key that is to tell them apart.',
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
    meaning: 'There are more faults than are shown.',
    hint: 'Correct the others first.',
  },
} as const satisfies Record<string, { readonly meaning: string; readonly hint: string }>;

export type SchemaErrorCode = keyof typeof schemaErrorTable;

/** One thing that is wrong with an observer schema. */
export interface SchemaError {
  readonly code: SchemaErrorCode;
  /** From the top of the schema: `[1, 'spec', 'ports', 0]`. */
  readonly path: Path;
  /** The same for people: `observerSchema[1].spec.ports[0]`. */
  readonly where: string;
  /** A clause that stands behind the place. */
  readonly message: string;
  readonly hint: string;
}

export function schemaError(code: SchemaErrorCode, path: Path, message: string): SchemaError {
  const where = formatPath(['observerSchema', ...path]);
  return { code, path, where, message, hint: schemaErrorTable[code].hint };
}

/** Where faults are put: the first hundred are kept, the rest is counted. */
export interface ErrorList {
  add(code: SchemaErrorCode, path: Path, message: string): void;
  readonly found: readonly SchemaError[];
}

const maxFaults = 100;

/** As many as are shown, and one that counts the rest. */
export function truncated(faults: readonly SchemaError[]): readonly SchemaError[] {
  const more = faults.length - maxFaults;
  return more <= 0 ? faults : [...faults.slice(0, maxFaults), schemaError('tooMany', [], `has ${more} more faults`)];
}

export function createErrorList(): ErrorList {
  const kept: SchemaError[] = [];
  let more = 0;
  return {
    add(code, path, message) {
      if (kept.length < maxFaults) kept.push(schemaError(code, path, message));
      else more += 1;
    },
    get found() {
      return more === 0 ? kept : [...kept, schemaError('tooMany', [], `has ${more} more faults`)];
    },
  };
}
