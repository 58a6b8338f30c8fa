import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { quietPeriod } from '../../../machines/observer/resource.ts';
import type { ControllerRecording } from '../../recording/file/controllerRecording.ts';
import { recordLifecycle, recordRandom } from '../../recording/file/recordLifecycle.ts';
import { recordedSink, recordSink } from '../../recording/file/recordSink.ts';
import { recordedRequests } from '../../recording/file/requests.ts';
import { watchBusy } from '../../recording/file/watchBusy.ts';
import { type ApplicationEntry, memoryOf } from '../entries/entries.ts';
import { identityKey } from '../objects/identity.ts';
import {
  type CreateObserverCore,
  createObserverCore,
  type ObserverCore,
  type ObserverCoreOptions,
} from '../observerCore.ts';
import { hashManifest } from '../plan/manifestHash.ts';
import { observerPort } from './observerPort.ts';
import { recordedObserverEventOf } from './recordedObserverEvent.ts';
import { recordSchemaNodes } from './recordSchemaNodes.ts';
import { reduceObserved } from './reduceObserved.ts';
import { secretMask } from './secretMask.ts';

/** Creates an application observer whose streams, requests, responses, random values and decisions are recorded. */
export function recordingObserver(recording: ControllerRecording): CreateObserverCore {
  return (options) => recordObserver(options, recording);
}

function recordObserver(options: ObserverCoreOptions, recording: ControllerRecording): ObserverCore {
  const clock = recording.clockFor(options.runtime.clock);
  const mask = secretMask(recording.key);
  const reduce = reduceObserved(mask);
  const append = watchBusy(recording, clock, () => {
    const entries = [...core.entries()];
    const unsettled = entries.filter((entry) => !isSettled(entry, clock.now()));
    // A replay does not know what these list, which decides whether another one deletes an object or hands it over.
    const sharing = entries.filter((entry) => unsettled.some((other) => sharesWith(entry, other)));
    return new Set([...unsettled, ...sharing].map(({ id }) => id));
  });
  const hashes = new Map<string, string>();
  const recordSchema = recordSchemaNodes(append);

  /** The hash is in the status of applications, where a replay has to recognise it. */
  function hashOf(...[manifest, fieldMask]: Parameters<typeof hashManifest>): string {
    const real = hashManifest(manifest, fieldMask);
    const { apiVersion, object } = manifest;
    const request = `manifest ${hashManifest({ apiVersion, object: objectOf(mask.object(object)) }, fieldMask)}`;
    const hash = mask.mark(real);
    if (hashes.get(request) !== hash) append({ in: 'hash', request, hash });
    hashes.set(request, hash);
    return real;
  }

  const specs = new Map<string, number>();
  /** A spec may have a megabyte, so it is recorded only when the generation changes. */
  function applicationOf(object: object): object {
    const reduced = reduce.application(object);
    const { uid, generation } = objectOf(reduced['metadata']);
    const id = textOf(uid) ?? '';
    if (typeof generation === 'number' && specs.get(id) === generation) {
      const { spec: _known, ...rest } = reduced;
      return rest;
    }
    if (typeof generation === 'number') specs.set(id, generation);
    return reduced;
  }

  const core: ObserverCore = createObserverCore({
    ...options,
    runtime: { ...options.runtime, clock },
    ...observerPort({
      real: () => options,
      requests: recordedRequests(append),
      reduce,
      topology: recordSchema,
    }),
    hashManifest: hashOf,
    wrapApplications: (name, sink) => recordedSink(recordSink(name, append, applicationOf), sink),
    wrapResources: ({ name }, sink) => recordedSink(recordSink(name, append, reduce.resource), sink),
    report(event) {
      append(recordedObserverEventOf(event));
      options.report(event);
    },
    random: recordRandom(options.random, append),
  });
  const section = { config: options.config, isIn: ({ observer }: typeof options.config) => observer !== undefined };
  return {
    ...core,
    get needs() {
      return core.needs;
    },
    ...recordLifecycle(core, append, section),
  };
}

function sharesWith({ resources }: ApplicationEntry, other: ApplicationEntry): boolean {
  return [...other.resources.keys()].some((key) => resources.has(key));
}

/**
 * Returns true if the application is observed, all its resources are in the desired state, none was corrected recently,
 * and its status has what was applied. `now`: epoch milliseconds.
 */
function isSettled(
  { actor, resources, pendingRemovals, inFlight, errors, newest }: ApplicationEntry,
  now: number,
): boolean {
  if (actor.getSnapshot().value !== 'observing' || pendingRemovals.size > 0 || inFlight.size > 0 || errors.length > 0)
    return false;
  const written = new Map(newest.inventory.map(({ identity, hash }) => [identityKey(identity), hash]));
  // A replay would delete a resource that only the inventory has.
  if ([...written.keys()].some((key) => !resources.has(key))) return false;
  return [...resources.values()].every(
    (node) =>
      node.actor.getSnapshot().value === 'inSync' &&
      written.get(node.key) === memoryOf(node.actor).appliedHash &&
      memoryOf(node.actor).mutatedByAdmission.length === 0 &&
      ![...memoryOf(node.actor).corrections.values()].some(({ last }) => now - last < quietPeriod),
  );
}
