import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { contentOf, isWithin } from '../oracle/plainObserver.ts';

/** Any client that is not an application. */
export const otherClient = '';

/** An application's name, or another client. */
type Writer = string;

/** Who set each field of each object, or removed it. */
export type StoryWriters = ReturnType<typeof storyWriters>;

export function storyWriters(now: () => number) {
  const writersByUid = new Map<string, Map<string, { readonly who: Writer; readonly at: number }>>();

  function its(object: JsonObject | undefined) {
    return writersByUid.get(uidOf(object) ?? '') ?? new Map<string, { readonly who: Writer; readonly at: number }>();
  }

  return {
    note(before: JsonObject | undefined, after: JsonObject | undefined, who: Writer) {
      const writers = its(after);
      writersByUid.set(uidOf(after) ?? '', writers);
      const [was, is] = [contentOf(before).fields, contentOf(after).fields];
      for (const path of new Set([...was.keys(), ...is.keys()]))
        if (was.get(path) !== is.get(path)) writers.set(path, { who, at: now() });
    },
    /** A client applies the fields of `given`, and owns them from now on, including unchanged ones. */
    share(object: JsonObject | undefined, given: JsonObject) {
      for (const path of contentOf(given).fields.keys()) its(object).set(path, { who: otherClient, at: now() });
    },
    /** This application's fields have no owner from now on, as `metadata.managedFields` shows: as if never written. */
    removeLabel(object: JsonObject | undefined, who: Writer) {
      const writers = its(object);
      for (const [path, { who: one }] of writers) if (one === who) writers.delete(path);
    },
    of: (object: JsonObject | undefined, path: string) => its(object).get(path)?.who,
    /** Whether the object ever had a field there with an owner. */
    hasSeen: (object: JsonObject | undefined, path: string) =>
      [...its(object).keys()].some((each) => isWithin(each, path)),
    /** Whether another client has written there in the last so many milliseconds. */
    isFresh: (object: JsonObject | undefined, path: string, ms: number) =>
      [...its(object)].some(([each, { who, at }]) => isWithin(each, path) && who === otherClient && now() - at < ms),
  };
}

export function uidOf(object: JsonObject | undefined): string | undefined {
  return textOf(objectOf(object?.['metadata'])['uid']);
}
