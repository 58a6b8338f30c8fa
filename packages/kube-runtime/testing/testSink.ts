import assert from 'node:assert/strict';
import { type JsonObject, objectOf } from '../src/base/json.ts';
import type { ChangeType, LineMetadata } from '../src/watch/metadataFastPath.ts';
import type { ObjectSink } from '../src/watch/sink.ts';

/** A sink that keeps each object's version by name, and rejects what comes twice or in the wrong order. */
export interface TestSink extends ObjectSink {
  /** Name → resourceVersion, of the complete state; empty before the first one. */
  readonly state: ReadonlyMap<string, string>;
  /** The number of complete lists. */
  readonly lists: number;
  /** What was applied out of order, if anything. */
  readonly disorder: readonly string[];
  /** The number of parsed objects. */
  readonly applied: number;
  /** The latest objects, as they came. */
  readonly objects: ReadonlyMap<string, JsonObject>;
}

/** `isIrrelevant` selects the objects whose lines need not be parsed. */
export function testSink(isIrrelevant?: (name: string) => boolean): TestSink {
  const state = new Map<string, string>();
  const disorder: string[] = [];
  const objects = new Map<string, JsonObject>();
  let seen: Set<string> | undefined;
  let lists = 0;
  let applied = 0;
  return {
    state,
    disorder,
    objects,
    begin() {
      seen = new Set();
    },
    apply(type: ChangeType, object: unknown) {
      applied += 1;
      const { name, resourceVersion } = objectOf(objectOf(object)['metadata']);
      assert(typeof name === 'string' && typeof resourceVersion === 'string');
      const previous = state.get(name);
      const isRelisted = seen !== undefined && previous === resourceVersion;
      if (previous !== undefined && Number(previous) >= Number(resourceVersion) && !isRelisted) {
        disorder.push(`${type} ${name} ${resourceVersion} after ${previous}`);
      }
      seen?.add(name);
      objects.set(name, objectOf(object));
      if (type === 'DELETED') state.delete(name);
      else state.set(name, resourceVersion);
    },
    rewound() {
      for (const name of state.keys()) state.set(name, '0');
    },
    end() {
      for (const name of state.keys()) if (seen?.has(name) === false) state.delete(name);
      seen = undefined;
      lists += 1;
    },
    ...(isIrrelevant === undefined
      ? {}
      : { isIrrelevant: (_line: Buffer, metadata: LineMetadata) => isIrrelevant(metadata.name) }),
    get lists() {
      return lists;
    },
    get applied() {
      return applied;
    },
  };
}
