import { formatPath, type Path } from '../../base/fieldError.ts';

/**
 * Every kind of fault that an observer schema can have: what it means in general, and what to do. The sentence that a
 * person reads is written where the fault is found; it never holds a value, which may be a Secret's.
 */
export const schemaFaultTable = {
  notAList: {
    meaning: 'The observer schema is not a list.',
    advice: 'Write a list with an entry a resource, each beginning with "- ".',
  },
  notAnObject: {
    meaning: 'An entry is not a partial resource.',
    advice: 'Write apiVersion, kind, metadata.name and the observed fields.',
  },
  apiVersion: {
    meaning: 'An entry does not say which API its resource has.',
    advice: 'Write the apiVersion of the manifest, such as v1 or apps/v1.',
  },
  kind: {
    meaning: 'An entry does not say which kind its resource has.',
    advice: 'Write the kind of the manifest, such as Deployment.',
  },
  name: {
    meaning: 'An entry does not say which name its resource has.',
    advice: 'Write metadata.name as the manifest has it.',
  },
  namespace: {
    meaning: 'The namespace of an entry is not a text.',
    advice: 'Write metadata.namespace as the manifest has it, or leave it out.',
  },
  duplicate: {
    meaning: 'Two entries are about one resource.',
    advice: 'Put all observed fields of a resource into one entry.',
  },
  noSuchResource: {
    meaning: 'An entry is about a resource that is not among the manifests.',
    advice: 'Correct apiVersion, kind, name or namespace, or remove the entry.',
  },
  nullsLost: {
    meaning: 'An entry, or a part of it, lists nothing.',
    advice:
      'If nulls were written there, they were lost: kubectl apply removes them. Write observed, or use kubectl apply --server-side.',
  },
  leaf: {
    meaning: 'A field has a value in the schema.',
    advice: 'Write null or observed: the value itself belongs into the manifest.',
  },
  stringData: {
    meaning: 'The entry of a Secret lists stringData.',
    advice: 'List data: stringData is only a way to write it.',
  },
  status: {
    meaning: 'The status of a resource is listed.',
    advice: 'Remove it: a status is what others found out, and cannot be corrected.',
  },
  serverOwned: {
    meaning: 'A field is listed that the API server or a controller of Kubernetes writes.',
    advice: 'Remove it.',
  },
  boundsMissing: {
    meaning: 'A list does not end with the bounds of its length.',
    advice:
      'End it with an element of observer_schema_list_min_length and observer_schema_list_max_length (0: unlimited).',
  },
  boundsNotLast: {
    meaning: 'The bounds of a list are not its last element.',
    advice: 'Move them to the end of the list.',
  },
  boundsTwice: {
    meaning: 'A list has bounds more than once.',
    advice: 'Keep one element with bounds, at the end.',
  },
  boundsOutsideList: {
    meaning: 'Bounds of a list stand in a map.',
    advice: 'Write them as the last element of the list that they are about.',
  },
  unknownBound: {
    meaning: 'The element with the bounds of a list has a key that nobody knows.',
    advice:
      'Keys there are observer_schema_list_min_length, observer_schema_list_max_length and observer_schema_list_key.',
  },
  minLength: {
    meaning: 'The least length of a list is missing, or no whole number from 0.',
    advice: 'Write observer_schema_list_min_length as a whole number from 0, without quotes.',
  },
  maxLength: {
    meaning: 'The greatest length of a list is missing, or no whole number from 0.',
    advice: 'Write observer_schema_list_max_length as a whole number, without quotes; 0 means unlimited.',
  },
  maxBelowMin: {
    meaning: 'The greatest length of a list is below the least.',
    advice: 'Raise observer_schema_list_max_length (0: unlimited), or lower observer_schema_list_min_length.',
  },
  maxBelowListed: {
    meaning: 'A list has more observed elements than its greatest length allows.',
    advice: 'Raise observer_schema_list_max_length (0: unlimited), or list fewer elements.',
  },
  listKey: {
    meaning: 'What tells the elements of a list apart is neither a key nor a list of keys.',
    advice: 'Write observer_schema_list_key as a text, such as name, or as a list of texts.',
  },
  notAMapInManifest: {
    meaning: 'The schema lists fields where the manifest has no map.',
    advice: 'Write the schema in the form of the manifest, or observed for all that is there.',
  },
  notAListInManifest: {
    meaning: 'The schema lists elements where the manifest has no list.',
    advice: 'Write the schema in the form of the manifest, or observed for all that is there.',
  },
  minAboveManifest: {
    meaning: 'The least length of a list is above what the manifest has.',
    advice: 'Lower observer_schema_list_min_length, or add elements to the manifest.',
  },
  maxBelowManifest: {
    meaning: 'The greatest length of a list is below what the manifest has.',
    advice: 'Raise observer_schema_list_max_length (0: unlimited), or remove elements from the manifest.',
  },
  listKeyMissing: {
    meaning: 'An element of the manifest lacks the key that is to tell it from the others.',
    advice: 'Name keys in observer_schema_list_key that every element of the manifest has, with plain values.',
  },
  listKeyTwice: {
    meaning: 'Two elements of the manifest are the same by the key that is to tell them apart.',
    advice: 'Name more keys in observer_schema_list_key, as a list.',
  },
  cyclic: {
    meaning: 'The schema contains itself.',
    advice: 'Remove the alias (*) that refers to what it is part of.',
  },
  tooDeep: {
    meaning: 'The schema is nested deeper than any resource.',
    advice: 'Remove levels; 200 are read.',
  },
  tooLarge: {
    meaning: 'The schema has more parts than are read.',
    advice: 'List fewer fields. An alias counts as often as it is used.',
  },
  tooMany: {
    meaning: 'There are more faults than are shown.',
    advice: 'Correct the others first.',
  },
} as const satisfies Record<string, { readonly meaning: string; readonly advice: string }>;

export type SchemaFaultCode = keyof typeof schemaFaultTable;

/** One thing that is wrong with an observer schema. */
export interface SchemaFault {
  readonly code: SchemaFaultCode;
  /** From the top of the schema: `[1, 'spec', 'ports', 0]`. */
  readonly path: Path;
  /** The same for people: `observerSchema[1].spec.ports[0]`. */
  readonly where: string;
  /** A clause that stands behind the place. */
  readonly sentence: string;
  readonly advice: string;
}

export function schemaFault(code: SchemaFaultCode, path: Path, sentence: string): SchemaFault {
  const where = formatPath(['observerSchema', ...path]);
  return { code, path, where, sentence, advice: schemaFaultTable[code].advice };
}

/** Where faults are put: the first hundred are kept, the rest is counted. */
export interface FaultList {
  add(code: SchemaFaultCode, path: Path, sentence: string): void;
  readonly found: readonly SchemaFault[];
}

const mostFaults = 100;

/** As many as are shown, and one that counts the rest. */
export function firstOf(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  const more = faults.length - mostFaults;
  return more <= 0 ? faults : [...faults.slice(0, mostFaults), schemaFault('tooMany', [], `has ${more} more faults`)];
}

export function createFaultList(): FaultList {
  const kept: SchemaFault[] = [];
  let more = 0;
  return {
    add(code, path, sentence) {
      if (kept.length < mostFaults) kept.push(schemaFault(code, path, sentence));
      else more += 1;
    },
    get found() {
      return more === 0 ? kept : [...kept, schemaFault('tooMany', [], `has ${more} more faults`)];
    },
  };
}
