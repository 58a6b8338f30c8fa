import type { InspectionEvent } from 'xstate';
import { objectOf, textOf } from '../../base/json.ts';
import { settled, type VirtualClock } from '../../base/virtualClock.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import type { ReportObserver } from '../../observer/model/events.ts';
import { createObserverCore, type ObserverCore } from '../../observer/observerCore.ts';
import { hashManifest } from '../../observer/plan/manifestHash.ts';
import type { RecordedLine, RecordingHeader } from '../../recording/lines.ts';
import type { ObserverInput, RecordedObserverResponse } from '../../recording/observer/observerLines.ts';
import { createObserverSnapshot } from '../../recording/observer/observerSnapshot.ts';
import {
  applicationOf,
  type RecordedObserverEvent,
  recordedObserverEventOf,
} from '../../recording/observer/recordedObserverEvent.ts';
import { observerRequests } from '../../recording/observer/recordObserverApi.ts';
import { recordedConfig } from '../recorded/recordedConfig.ts';
import { recordedRandom } from '../recorded/recordedRandom.ts';
import { createResponses } from '../recorded/recordedResponses.ts';
import { countResponses } from '../restart/restartInputs.ts';
import { observerApis } from './observerApis.ts';
import { observerInputs } from './observerInputs.ts';
import { recordedSchemaNodes } from './recordedSchemaNodes.ts';

/** Runs the real application observer in simulated time, with the recorded inputs. */
interface ObserverPlayer {
  take(input: ObserverInput): Promise<void>;
  /** Undefined: no input has been recorded so far. */
  core(): ObserverCore | undefined;
}

interface ObserverPlayerOptions {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
  readonly clock: VirtualClock;
  readonly report: (event: RecordedObserverEvent) => void;
  /** Called with every event, including those that are excluded in a file that begins in the middle. */
  readonly reportEvent?: ReportObserver | undefined;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** The response to a request that has no recorded response. */
const unanswered: RecordedObserverResponse = { is: 'failed', failure: 'transient', retryAfter: 0 };
const success: RecordedObserverResponse = { is: 'ok' };
/** The number of rounds of requests and responses until an application has started. */
const rounds = 30;

export function createObserverPlayer(options: ObserverPlayerOptions): ObserverPlayer {
  const { header, clock, inspect } = options;
  /** In a file that begins in the middle, requests come at other times than in the recorded run. */
  let isContinued = header.part > 1;
  let isRestoring = isContinued;
  const snapshot = createObserverSnapshot();
  const inputs = observerInputs(options.lines);
  const randomAt = recordedRandom(options.lines, isContinued, 'observer');
  const responses = createResponses<RecordedObserverResponse>(
    countResponses(inputs),
    (to) => !isContinued || isWrite(to),
  );
  const hashes = new Map(inputs.flatMap((each) => (each.in === 'hash' ? [[each.of, each.hash]] : [])));
  /** By request: the responses about kinds and accounts, which are valid for later requests as well. */
  const lasting = new Map<string, RecordedObserverResponse>();
  /** Applications that had not settled when the file began: the observer does not receive them. */
  const busy = new Set<string>();
  /** Applications that are being added: the recording does not have the events of that. */
  const starting = new Set<string>();
  /** Streams that were closed here: their recorded state is out of date. */
  const closed = new Set<string>();
  const open = new Set<string>();
  let core: ObserverCore | undefined;

  function isReportedFor(event: RecordedObserverEvent): boolean {
    const application = applicationOf(event) ?? '';
    return !starting.has(application) && !busy.has(application);
  }

  function report(event: RecordedObserverEvent): void {
    if (isReportedFor(event)) options.report(event);
  }

  async function request(to: string): Promise<RecordedObserverResponse> {
    const known = isContinued ? lasting.get(to) : undefined;
    return known ?? responses.request(to, /^(?:status|account|access|patchable) /.test(to) ? success : unanswered);
  }

  const apis = observerApis({
    request,
    async read({ identity }) {
      const known = isContinued ? snapshot.object(identity.kind, identity.namespace, identity.name) : undefined;
      return known === undefined ? request(observerRequests.resource('read', identity)) : { is: 'ok', value: known };
    },
    async dryRunApply({ owner, target }) {
      const to = observerRequests.resource('dryRunApply', target.identity);
      return (starting.has(owner.name) ? snapshot.response(to) : undefined) ?? request(to);
    },
    schemaOf: recordedSchemaNodes(inputs),
    report,
  });

  function begin(config: object): void {
    core?.stop();
    open.clear();
    core = createObserverCore({
      ...apis,
      config: recordedConfig(config),
      runtime: { clock, ...(inspect === undefined ? {} : { inspect }) },
      namespaces: header.namespaces,
      // The recorded objects have already passed the shard filter.
      shard: undefined,
      isDryRun: header.isDryRun,
      // No decision depends on the account that a request impersonates.
      mayUseOwnRights: false,
      hashManifest(manifest, mask) {
        const hash = hashManifest(manifest, mask);
        return hashes.get(hash) ?? hash;
      },
      report(event) {
        report(recordedObserverEventOf(event));
        options.reportEvent?.(event);
      },
      random: () => randomAt(clock.monotonic()),
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
    for (const [name, { sink }] of core?.needs ?? []) {
      if (open.has(name)) continue;
      open.add(name);
      if (!closed.has(name)) queueMicrotask(() => catchUp(name, sink));
    }
  }

  function catchUp(name: string, sink: ObjectSink): void {
    if (core?.needs.get(name)?.sink !== sink) return;
    for (const line of snapshot.streamLines(name)) if ('stream' in line) deliver(line, sink);
  }

  /** Delivers a line of a stream, except of busy applications. */
  function deliver(line: Extract<ObserverInput, { readonly stream: string }>, sink: ObjectSink | undefined): void {
    if (line.in === 'begin') sink?.begin();
    else if (line.in === 'end') sink?.end(line.resourceVersion);
    else if (line.in === 'lost') sink?.lost?.();
    else if (line.in === 'resumed') sink?.resumed?.();
    else if (line.in !== 'closed' && !isBusy(line.object)) sink?.apply(line.in, line.object);
  }

  function isBusy(object: object): boolean {
    const { kind, metadata } = objectOf(object);
    const { namespace, name } = objectOf(metadata);
    return kind === 'Application' && busy.has(`${textOf(namespace)}/${textOf(name)}`);
  }

  async function restartAt(applications: readonly string[], reportEvent: () => void): Promise<void> {
    for (const each of applications) starting.add(each);
    reportEvent();
    for (let round = 0; round < rounds; round += 1) await settled();
    for (const each of applications) starting.delete(each);
  }

  /** Delivers the application in its last recorded state. */
  async function startSettled(application: string): Promise<void> {
    busy.delete(application);
    const found = snapshot.application(application);
    const sink = found === undefined ? undefined : core?.needs.get(found.stream)?.sink;
    if (found === undefined || sink === undefined) return;
    await restartAt([application], () => sink.apply('ADDED', found.object));
  }

  async function resume(): Promise<void> {
    isRestoring = false;
    await restartAt(
      [...snapshot.applications()].filter((each) => !busy.has(each)),
      openStreams,
    );
  }

  function learn(input: ObserverInput): void {
    if (input.in === 'begin') closed.delete(input.stream);
    snapshot.apply(input);
    if (input.in === 'response' && isLasting(input.request)) {
      if (input.response.is === 'ok' && input.response.value !== false) lasting.set(input.request, input.response);
      else lasting.delete(input.request);
    }
    if (input.in === 'snapshotEnd') for (const application of input.busy) busy.add(application);
  }

  function feedStream(input: Extract<ObserverInput, { readonly stream: string }>): void {
    const line = 'object' in input ? { ...input, object: snapshot.withSpec(input.stream, input.object) } : input;
    const sink = core?.needs.get(input.stream)?.sink;
    learn(input);
    if (!isRestoring) deliver(line, sink);
  }

  function feed(input: ObserverInput): void {
    if (input.in === 'created' && core !== undefined) {
      isContinued = false;
      busy.clear();
    }
    learn(input);
    if (input.in === 'created') begin(input.config);
    else if (input.in === 'config') core?.configure(recordedConfig(input.config));
    else if (input.in === 'start') core?.start();
    else if (input.in === 'stop') core?.stop();
  }

  return {
    async take(input) {
      if ('stream' in input) feedStream(input);
      else feed(input);
      if (input.in === 'response' && !isRestoring) {
        responses.respond(input.request, input.response);
        // A response was handled before the next input came, even if both have the same time.
        await settled();
      } else if (input.in === 'snapshotEnd') await resume();
      else if (input.in === 'settled' && busy.has(input.application)) await startSettled(input.application);
    },
    core: () => core,
  };
}

/** Requests about kinds and accounts: a positive response is valid for later requests as well. */
function isLasting(to: string): boolean {
  return /^(find|findServed|structure|account|access|patchable) /.test(to);
}

/** A write is requested once for each decision. */
function isWrite(to: string): boolean {
  return /^(?:create|correct|update|delete|release) /.test(to);
}
