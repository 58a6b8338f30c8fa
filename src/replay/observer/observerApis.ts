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

/** Who answers in place of the API server. */
interface ObserverAnswers {
  ask(to: string): Promise<RecordedObserverResponse>;
  /** What there is now. */
  read(target: Target): Promise<RecordedObserverResponse>;
  /** What the API server makes of a manifest. */
  dryRunApply(plan: ResourcePlan): Promise<RecordedObserverResponse>;
  placesOf(kind: string): SchemaNode;
  report(event: RecordedObserverEvent): void;
}

/** Sentences of the API server are in no recording: what a page shows in their place. */
const reasonOf = (failure: string) => `${failure}: what was said then is in no recording.`;

/** What the observer asks, answered by what was recorded. */
export function observerApis({ ask, read, dryRunApply, placesOf, report }: ObserverAnswers): ObserverApis {
  async function outcome<T>(
    answer: Promise<RecordedObserverResponse>,
    value: (from: unknown) => T,
  ): Promise<Outcome<T>> {
    const its = await answer;
    if (its.is === 'ok') return { ok: true, value: value(its.value) };
    const { failure, retryAfter, by } = its;
    const said = { reason: reasonOf(failure), retryAfter, fields: [], ...(by === undefined ? {} : { by }) };
    return { ok: false, failure: { is: failure, ...said } };
  }

  const { resource, application } = observerRequests;
  const nothing = () => undefined;
  const write = (what: 'create' | 'correct' | 'update', { owner, target }: ResourcePlan) => {
    report(writeEvent(what, owner.name, target.identity));
    return outcome(ask(resource(what, target.identity)), (value) => recordedApplied.parse(value));
  };
  return {
    api: {
      may: (target, verb, extent) =>
        outcome(ask(observerRequests.access(verb, extent, target)), (value) => value !== false),
      tryPatch: (target) => outcome(ask(observerRequests.patchable(target)), nothing),
      read: (target) => outcome(read(target), (value) => (value === undefined ? undefined : objectOf(value))),
      create: (plan) => write('create', plan),
      correct: (plan) => write('correct', plan),
      update: (plan) => write('update', plan),
      dryRunApply: (plan) => outcome(dryRunApply(plan), (value) => recordedTried.parse(value)),
      dryRunAgain: ({ target }) =>
        outcome(ask(resource('dryRunAgain', target.identity)), (value) => recordedTried.parse(value)),
      delete(target, owner) {
        report(writeEvent('delete', owner.name, target.identity));
        return outcome(ask(resource('delete', target.identity)), nothing);
      },
      removeStaleClaim({ owner, target }) {
        report(writeEvent('removeStaleClaim', owner.name, target.identity));
        return outcome(ask(resource('removeStaleClaim', target.identity)), objectOf);
      },
      release(target, owner) {
        report(writeEvent('release', owner.name, target.identity));
        return outcome(ask(resource('release', target.identity)), nothing);
      },
    },
    kinds: {
      find: (apiVersion, kind) =>
        outcome(ask(observerRequests.find(apiVersion, kind)), (value) => recordedKind.parse(value)),
      findInGroup: (group, kind) =>
        outcome(ask(observerRequests.findServed(group, kind)), (value) => recordedKind.parse(value)),
      async awaitServed(apiVersion, kind, signal) {
        const answer = await outcome(ask(observerRequests.served(apiVersion, kind)), (value) =>
          recordedKind.parse(value),
        );
        // A recording that has no answer ended while it was waited for.
        if (!answer.ok && !signal.aborted) await once(signal, 'abort');
        return answer;
      },
      topologyOf: (kind) => outcome(ask(observerRequests.structure(kind)), () => placesOf(kindKey(kind))),
    },
    applications: {
      read: (ref) => outcome(ask(application('application', ref)), objectOf),
      patchStatus(ref) {
        report({ out: 'status.write', about: `${ref.namespace}/${ref.name}`, detail: '' });
        return outcome(ask(application('status', ref)), nothing);
      },
      addFinalizer: (ref) => outcome(ask(application('addFinalizer', ref)), nothing),
      removeFinalizer: (ref) => outcome(ask(application('removeFinalizer', ref)), nothing),
      hasAccount: (namespace, name) =>
        outcome(ask(observerRequests.account(namespace, name)), (value) => value !== false),
      isTerminating: (namespace) => outcome(ask(observerRequests.terminating(namespace)), (value) => value === true),
    },
  };
}
