import { once } from 'node:events';
import { objectOf } from '../../base/json.ts';
import type { Outcome } from '../../observer/model/applyFailure.ts';
import type { SchemaNode } from '../../observer/model/schemaNode.ts';
import type { ResourcePlan, Target } from '../../observer/plan/resourceApi.ts';
import type { RecordedObserverResponse } from '../../recording/observer/observerLines.ts';
import type { RecordedObserverEvent } from '../../recording/observer/recordedObserverEvent.ts';
import {
  kindKey,
  type ObserverApis,
  observerRequests,
  writeEvent,
} from '../../recording/observer/recordObserverApi.ts';
import { recordedApplied, recordedKind, recordedTried } from '../recorded/observerSchema.ts';

/** The sources of responses in place of the API server. */
interface ObserverResponses {
  request(to: string): Promise<RecordedObserverResponse>;
  /** Returns the live object. */
  read(target: Target): Promise<RecordedObserverResponse>;
  /** Returns what the API server would make of a manifest. */
  dryRunApply(plan: ResourcePlan): Promise<RecordedObserverResponse>;
  schemaOf(kind: string): SchemaNode;
  report(event: RecordedObserverEvent): void;
}

/** A recording has no messages of the API server: this is shown in their place. */
const reasonOf = (failure: string) => `${failure}: what was said then is in no recording.`;

/** Answers the requests of the observer with the recorded responses. */
export function observerApis({ request, read, dryRunApply, schemaOf, report }: ObserverResponses): ObserverApis {
  async function outcome<T>(
    pending: Promise<RecordedObserverResponse>,
    value: (from: unknown) => T,
  ): Promise<Outcome<T>> {
    const response = await pending;
    if (response.is === 'ok') return { ok: true, value: value(response.value) };
    const { failure, retryAfter, by } = response;
    const details = { reason: reasonOf(failure), retryAfter, fields: [], ...(by === undefined ? {} : { by }) };
    return { ok: false, failure: { is: failure, ...details } };
  }

  const { resource, application } = observerRequests;
  const nothing = () => undefined;
  const write = (what: 'create' | 'correct' | 'update', { owner, target }: ResourcePlan) => {
    report(writeEvent(what, owner.name, target.identity));
    return outcome(request(resource(what, target.identity)), (value) => recordedApplied.parse(value));
  };
  return {
    api: {
      may: (target, verb, extent) =>
        outcome(request(observerRequests.access(verb, extent, target)), (value) => value !== false),
      tryPatch: (target) => outcome(request(observerRequests.patchable(target)), nothing),
      read: (target) => outcome(read(target), (value) => (value === undefined ? undefined : objectOf(value))),
      create: (plan) => write('create', plan),
      correct: (plan) => write('correct', plan),
      update: (plan) => write('update', plan),
      dryRunApply: (plan) => outcome(dryRunApply(plan), (value) => recordedTried.parse(value)),
      dryRunAgain: ({ target }) =>
        outcome(request(resource('dryRunAgain', target.identity)), (value) => recordedTried.parse(value)),
      delete(target, owner) {
        report(writeEvent('delete', owner.name, target.identity));
        return outcome(request(resource('delete', target.identity)), nothing);
      },
      removeStaleClaim({ owner, target }) {
        report(writeEvent('removeStaleClaim', owner.name, target.identity));
        return outcome(request(resource('removeStaleClaim', target.identity)), objectOf);
      },
      release(target, owner) {
        report(writeEvent('release', owner.name, target.identity));
        return outcome(request(resource('release', target.identity)), nothing);
      },
    },
    kinds: {
      find: (apiVersion, kind) =>
        outcome(request(observerRequests.find(apiVersion, kind)), (value) => recordedKind.parse(value)),
      findInGroup: (group, kind) =>
        outcome(request(observerRequests.findServed(group, kind)), (value) => recordedKind.parse(value)),
      async awaitServed(apiVersion, kind, signal) {
        const answer = await outcome(request(observerRequests.served(apiVersion, kind)), (value) =>
          recordedKind.parse(value),
        );
        // If the recording has no response, it ended while the kind was awaited.
        if (!answer.ok && !signal.aborted) await once(signal, 'abort');
        return answer;
      },
      topologyOf: (kind) => outcome(request(observerRequests.structure(kind)), () => schemaOf(kindKey(kind))),
    },
    applications: {
      read: (ref) => outcome(request(application('application', ref)), objectOf),
      patchStatus(ref) {
        report({ out: 'status.write', about: `${ref.namespace}/${ref.name}`, detail: '' });
        return outcome(request(application('status', ref)), nothing);
      },
      addFinalizer: (ref) => outcome(request(application('addFinalizer', ref)), nothing),
      removeFinalizer: (ref) => outcome(request(application('removeFinalizer', ref)), nothing),
      hasAccount: (namespace, name) =>
        outcome(request(observerRequests.account(namespace, name)), (value) => value !== false),
      isTerminating: (namespace) =>
        outcome(request(observerRequests.terminating(namespace)), (value) => value === true),
    },
  };
}
