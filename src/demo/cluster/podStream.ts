import { createActor } from 'xstate';
import type { Clock } from '../../base/clock.ts';
import { type JsonObject, objectOf } from '../../base/json.ts';
import type { Logger } from '../../base/log.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import { provideReflector } from '../../kube/watch/reflector.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import { type PodView, podView } from '../podView.ts';

/** Receives each change of a pod once, even if the stream is restarted. */
type OnPod = (type: ChangeType, pod: PodView, object: JsonObject) => void;

/** Watches the pods of a namespace with weeder's reflector. Returns the function that stops it. */
export function followPods(
  { client, clock, logger }: { readonly client: KubeClient; readonly clock: Clock; readonly logger: Logger },
  namespace: string,
  onPod: OnPod,
): () => void {
  const source = {
    path: `/api/v1/namespaces/${namespace}/pods`,
    kind: 'Pod',
    labelSelector: '',
    sink: podSink(onPod),
  };
  const logic = provideReflector({ client, clock, log: logger, sourceOf: () => source });
  const actor = createActor(logic, { clock, input: { name: 'demo pods' } });
  actor.subscribe({ error: (error) => logger.error({ err: error }, 'the watch of the demo’s pods failed') });
  actor.start();
  return () => void actor.stop();
}

/** Converts complete lists into changes: known pods were modified, and missing pods were deleted. */
export function podSink(onPod: OnPod): ObjectSink {
  const known = new Map<string, { readonly view: PodView; readonly object: JsonObject }>();
  let listed = new Set<string>();
  return {
    begin() {
      listed = new Set();
    },
    apply(type, given) {
      const object = objectOf(given);
      const view = podView(object);
      listed.add(view.uid);
      const isKnown = known.has(view.uid);
      if (type === 'DELETED') {
        known.delete(view.uid);
        if (isKnown) onPod('DELETED', view, object);
      } else {
        known.set(view.uid, { view, object });
        onPod(isKnown ? 'MODIFIED' : 'ADDED', view, object);
      }
    },
    end() {
      for (const [uid, { view, object }] of known) {
        if (listed.has(uid)) continue;
        known.delete(uid);
        onPod('DELETED', view, object);
      }
    },
  };
}
