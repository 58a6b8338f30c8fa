import { settled } from '@weeder/kube-runtime/base';
import type { ObjectSink } from '@weeder/kube-runtime/watch';
import type { Config } from '../../config/config.ts';
import type { RecordedEvent } from '../../recording/file/lines.ts';
import { streamLines } from '../../recording/file/streamSnapshot.ts';
import { type ControllerPlayer, createPlayed, type PlayedInputs, type Stage } from '../../replay/played/played.ts';
import { recordedHashes } from '../../replay/played/recordedValues.ts';
import type { ReportObserver } from '../objects/events.ts';
import { createObserverCore, type ObserverCore } from '../observerCore.ts';
import { hashManifest } from '../plan/manifestHash.ts';
import { unansweredObserver } from '../recording/observerResponses.ts';
import { applicationsIn, createObserverSnapshot, isLasting, objectIn } from '../recording/observerSnapshot.ts';
import { applicationOf, isExcludedApplication, recordedObserverEventOf } from '../recording/recordedObserverEvent.ts';
import { observerReplayPort } from './observerReplayPort.ts';
import { recordedSchemaNodes } from './recordedSchemaNodes.ts';

/** The number of rounds of requests and responses until an application has started. */
const exchanges = 30;

/**
 * Runs the real application observer in simulated time, with the recorded inputs. `report`: called with every event,
 * including those that are excluded in a file that begins in the middle.
 */
export function createObserverPlayer(stage: Stage, report: ReportObserver): ControllerPlayer<ObserverCore> {
  const { header, lines } = stage;
  /** In a file that begins in the middle, requests come at other times than in the recorded run. */
  let isContinued = header.part > 1;
  let isRestoring = isContinued;
  const snapshot = createObserverSnapshot();
  const hashOf = recordedHashes(lines, 'observer');
  const schemaOf = recordedSchemaNodes(lines);
  /** Applications that had not settled when the file began: the observer does not receive them. */
  const busy = new Set<string>();
  /** Applications that are being added: the recording does not have the events of that. */
  const starting = new Set<string>();
  /** Streams that were closed here: their recorded state is out of date. */
  const closed = new Set<string>();
  const open = new Set<string>();

  function record(event: RecordedEvent): void {
    if (!starting.has(applicationOf(event) ?? '')) stage.record(event);
  }

  const played = createPlayed<ObserverCore>(
    { ...stage, record },
    {
      of: 'observer',
      snapshot,
      busy,
      isExcluded: isExcludedApplication,
      unanswered: (request) =>
        /^(?:status|account|access|patchable) /.test(request) ? { type: 'ok' } : unansweredObserver,
      known: (request) => (isContinued && isLasting(request) ? snapshot.responses.get(request)?.response : undefined),
      isStored: (request) => !isContinued || isWrite(request),
      isRestoring: () => isRestoring,
      resume,
      settle: startSettled,
      create,
    },
  );

  function create(config: Config, { requests, ...inputs }: PlayedInputs): ObserverCore {
    open.clear();
    return createObserverCore({
      ...inputs,
      ...observerReplayPort({
        requests,
        schemaOf,
        live: ({ kind, namespace, name }) => (isContinued ? objectIn(snapshot, kind, namespace, name) : undefined),
        desired: (request, application) =>
          starting.has(application) ? snapshot.responses.get(request)?.response : undefined,
      }),
      config,
      namespaces: header.namespaces,
      // The recorded objects are those of owned namespaces.
      owned: undefined,
      isDryRun: header.isDryRun,
      // No decision depends on the account that a request impersonates.
      mayUseOwnRights: false,
      hashManifest(manifest, mask) {
        const hash = hashManifest(manifest, mask);
        return hashOf(`manifest ${hash}`, Number.POSITIVE_INFINITY) ?? hash;
      },
      report(event) {
        played.record(recordedObserverEventOf(event));
        report(event);
      },
      onStreamsChanged: openStreams,
      onStreamClosed(name) {
        open.delete(name);
        closed.add(name);
      },
    });
  }

  /** Delivers the state of each stream that the observer has opened. */
  function openStreams(): void {
    if (isRestoring) return;
    for (const [name, { sink }] of played.core()?.needs ?? []) {
      if (open.has(name)) continue;
      open.add(name);
      if (!closed.has(name)) queueMicrotask(() => catchUp(name, sink));
    }
  }

  function catchUp(name: string, sink: ObjectSink): void {
    const stream = snapshot.stream(name);
    if (stream === undefined || played.core()?.needs.get(name)?.sink !== sink) return;
    for (const line of streamLines(name, stream, false)) if ('stream' in line) played.deliver(line, sink);
  }

  async function restartAt(applications: readonly string[], restart: () => void): Promise<void> {
    for (const application of applications) starting.add(application);
    restart();
    for (let round = 0; round < exchanges; round += 1) await settled();
    for (const started of applications) starting.delete(started);
  }

  /** Delivers the application in its last recorded state. */
  async function startSettled(application: string): Promise<void> {
    const recordedApplication = applicationsIn(snapshot).get(application);
    const sink =
      recordedApplication === undefined ? undefined : played.core()?.needs.get(recordedApplication.stream)?.sink;
    if (recordedApplication === undefined || sink === undefined) return;
    await restartAt([application], () => sink.apply('ADDED', recordedApplication.object));
  }

  async function resume(): Promise<void> {
    isRestoring = false;
    const idle = [...applicationsIn(snapshot).keys()].filter((each) => !busy.has(each));
    await restartAt(idle, openStreams);
  }

  return {
    async take(input) {
      if (input.in === 'begin') closed.delete(input.stream);
      if (input.in === 'created' && played.core() !== undefined) isContinued = false;
      await played.take(input);
    },
    shown: played.core,
  };
}

/** A write is requested once for each decision. */
function isWrite(request: string): boolean {
  return /^(?:create|correct|update|delete|release) /.test(request);
}
