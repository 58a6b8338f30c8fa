import type { Clock } from '@weeder/kube-runtime/base';
import { type JsonObject, objectOf, parseJson, textOf } from '@weeder/kube-runtime/base';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import type { ResourceEntry } from '../entries/entries.ts';
import { foundOf, isInSync } from '../entries/live.ts';
import { pacedComparison } from '../entries/pacedComparison.ts';
import { forgetObject, observeObject, recordLost, recordRewound } from '../entries/transitions.ts';
import { type Identity, identityKey } from '../objects/identity.ts';
import { versionOf } from '../ownership/ownership.ts';

/** The sink of a stream of one kind: it notifies the resources whose object has changed or left the stream. */
export function createResourceSink(
  { group, kind }: Pick<Identity, 'group' | 'kind'>,
  members: ReadonlyMap<string, readonly ResourceEntry[]>,
  clock: Clock,
): ClosableSink {
  let listed: Set<ResourceEntry> | undefined;
  const paced = pacedComparison(clock, (resource, object) => {
    if (members.get(resource.key)?.includes(resource)) takeSafely(resource, object);
  });

  function membersOf(object: JsonObject): readonly ResourceEntry[] {
    const { namespace, name } = objectOf(object['metadata']);
    const key = identityKey({ group, kind, namespace: textOf(namespace) ?? '', name: textOf(name) ?? '' });
    return members.get(key) ?? [];
  }

  function take(resource: ResourceEntry, object: JsonObject): void {
    const before = comparisonState(resource);
    if (!observeObject(resource, object, clock.monotonic()) || comparisonState(resource) === before) return;
    resource.actor.send({ type: 'object.changed', isInSync: isInSync(resource.live) });
  }

  /** An exception would end the stream for all resources. The following check meets the same error and reports it. */
  function takeSafely(resource: ResourceEntry, object: JsonObject): void {
    try {
      take(resource, object);
    } catch {
      forgetObject(resource, 'unknown');
      resource.actor.send({ type: 'object.changed', isInSync: false });
    }
  }

  return {
    // Of a large object that changes often, only the compared fields are parsed.
    isIrrelevant(line, { type, namespace, name }) {
      if (type !== 'MODIFIED' || line.length < largeLine) return false;
      const entries = members.get(identityKey({ group, kind, namespace, name })) ?? [];
      const [resource] = entries;
      if (resource === undefined || entries.length > 1) return false;
      const kept = Buffer.from(line);
      const isHeld = paced.hold(resource, () => objectIn(kept));
      if (isHeld) listed?.add(resource);
      return isHeld;
    },
    begin() {
      listed = new Set();
    },
    apply(type, object) {
      const fields = objectOf(object);
      for (const resource of membersOf(fields)) {
        if (type === 'DELETED') paced.drop(resource);
        else listed?.add(resource);
        if (type === 'DELETED') markLost(resource, versionOf(fields), clock.monotonic());
        else paced.take(resource, fields);
      }
    },
    end(resourceVersion) {
      for (const resource of [...members.values()].flat()) {
        if (listed?.has(resource) !== false) continue;
        paced.drop(resource);
        if (foundOf(resource.live) !== undefined) markLost(resource, resourceVersion, clock.monotonic());
      }
      listed = undefined;
    },
    rewound() {
      for (const resource of [...members.values()].flat()) recordRewound(resource);
    },
    close: () => undefined,
  };
}

/** Bytes of a line that takes a noticeable time to parse. */
const largeLine = 64 * 1024;

/** Parses the object in a line that is a watch event. */
function objectIn(line: Buffer): JsonObject | undefined {
  try {
    return objectOf(objectOf(parseJson(line.toString('utf8')))['object']);
  } catch {
    return undefined;
  }
}

function markLost(resource: ResourceEntry, version: string | undefined, now: number): void {
  if (recordLost(resource, version, now)) resource.actor.send({ type: 'object.changed', isInSync: false });
}

/** There is nothing new to decide while this text is the same. */
function comparisonState({ live }: ResourceEntry): string {
  const liveObject = foundOf(live);
  if (liveObject === undefined) return '';
  return isInSync(live)
    ? `in sync ${liveObject.label}`
    : JSON.stringify([liveObject.uid, liveObject.isTerminating, liveObject.label, live.drifts]);
}
