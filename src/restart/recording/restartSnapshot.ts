import { objectOf } from '@weeder/kube-runtime/base';
import type { Input } from '../../recording/file/entry.ts';
import { createSnapshot, type ResponseInput, type Snapshot } from '../../recording/file/snapshot.ts';
import { applyWritten, nameOf } from '../../recording/file/streamSnapshot.ts';

/**
 * The state of restart control at the beginning of a new file: beside the streams, the tags of the used sources. The
 * state of a workload is stored on the workload itself.
 */
export function createRestartSnapshot(): Snapshot {
  return createSnapshot({ keep });
}

function keep(entry: Input, kept: Map<string, ResponseInput>, snapshot: Snapshot): void {
  if (entry.in === 'DELETED') {
    const source = `digest ${sourceIn(entry.stream, entry.object)} `;
    for (const request of kept.keys()) if (request.startsWith(source)) kept.delete(request);
  }
  if (entry.in !== 'response') return;
  const { type, value } = objectOf(entry.response);
  // The version of a source, which ends the request, replaces the one before.
  if (entry.request.startsWith('digest ')) kept.set(entry.request.slice(0, entry.request.lastIndexOf(' ')), entry);
  else if (/^(?:patch|read) /.test(entry.request) && type === 'ok')
    for (const [, stream] of snapshot.streams()) applyWritten(stream, objectOf(value));
}

/** Returns the `sourceKey` of an object by the name of its stream; for a workload, a key that no source has. */
function sourceIn(stream: string, object: object): string {
  return `${stream.startsWith('secrets') ? 'secret' : stream.replace(/s\b.*/, '')}/${nameOf(object)}`;
}

/** The last version of a workload, by its `workloadKey`, and the stream that delivered it. */
export function workloadIn(
  snapshot: Snapshot,
  id: string,
): { readonly stream: string; readonly object: object } | undefined {
  const [kind = '', ...name] = id.split('/');
  for (const [stream, { objects }] of snapshot.streams()) {
    const collection = stream.split(' ')[0];
    const isOfKind = collection === `${kind}s` || collection === kind;
    const object = isOfKind ? objects.get(name.join('/'))?.object : undefined;
    if (object !== undefined) return { stream, object };
  }
  return undefined;
}
