import { objectOf, settled, type VirtualClock } from '@weeder/kube-runtime/base';
import type { ObjectSink } from '@weeder/kube-runtime/watch';
import type { InspectionEvent } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import type { Random } from '../../actors/effect.ts';
import type { Config } from '../../config/config.ts';
import type { Input, StreamInput } from '../../recording/file/entry.ts';
import type { IsExcluded, RecordedEvent, RecordedLine, RecordingHeader } from '../../recording/file/lines.ts';
import type { Requests } from '../../recording/file/requests.ts';
import type { Snapshot } from '../../recording/file/snapshot.ts';
import { nameOf, withSpecOf } from '../../recording/file/streamSnapshot.ts';
import { createHeldTimers } from './heldTimers.ts';
import { recordedConfig } from './recordedConfig.ts';
import { createResponses, type Responses } from './recordedResponses.ts';
import { recordedRandom } from './recordedValues.ts';

/** What a replay calls on a controller. */
interface PlayedCore {
  readonly needs: ReadonlyMap<string, { readonly sink: ObjectSink }>;
  configure(config: Config): void;
  start(): void;
  stop(): void;
}

/** Runs a real controller in simulated time. */
export interface ControllerPlayer<Shown> {
  take(input: Input): Promise<void>;
  /** Undefined: no input of it has been recorded so far. */
  shown(): Shown | undefined;
}

/** What the controllers of one replay share. */
export interface Stage {
  readonly header: RecordingHeader;
  /** The config at the beginning. */
  readonly config: Config;
  readonly lines: readonly RecordedLine[];
  readonly clock: VirtualClock;
  /** Called with each event and request, except those that are excluded in a file that begins in the middle. */
  readonly record: (event: RecordedEvent) => void;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** What a controller is created with in place of the API server. */
export interface PlayedInputs {
  readonly runtime: ActorRuntime;
  readonly requests: Requests;
  readonly random: Random;
}

interface PlayedOptions<C extends PlayedCore> {
  /** The name of the controller in recordings. */
  readonly of: string;
  readonly snapshot: Snapshot;
  /** What has not settled yet in a file that begins in the middle. */
  readonly busy: Set<string>;
  readonly isExcluded: IsExcluded;
  create(config: Config, inputs: PlayedInputs): C;
  /** The response to a request that has no recorded response. */
  unanswered(request: string): unknown;
  /** Returns a response that is valid for later requests as well. */
  known?(request: string): unknown;
  /** Whether a response without a pending request is stored for a later request. Default: always. */
  isStored?(request: string): boolean;
  /** Whether the controller receives the inputs only once the state at the beginning of the file is complete. */
  isRestoring?(): boolean;
  /** The state at the beginning of the file is complete. */
  resume?(): Promise<void> | void;
  /** One that was busy when the file began has settled. */
  settle?(id: string): Promise<void> | void;
}

/** A real controller in simulated time, with the recorded inputs. */
export interface Played<C extends PlayedCore> {
  /** Undefined: no input has been recorded so far. */
  core(): C | undefined;
  readonly responses: Responses<unknown>;
  create(config: Config): void;
  take(input: Input): Promise<void>;
  /** Delivers a line of a stream to its sink, except of busy applications. */
  deliver(line: StreamInput, sink: ObjectSink | undefined): void;
  /** Passes on an event, unless it is excluded. */
  record(event: RecordedEvent): void;
}

export function createPlayed<C extends PlayedCore>(stage: Stage, options: PlayedOptions<C>): Played<C> {
  const { clock, inspect, lines } = stage;
  const { of, snapshot, busy, isRestoring = () => false } = options;
  const responses = createResponses<unknown>(countResponses(lines, of), options.isStored);
  const randomAt = recordedRandom(lines, stage.header.part > 1, of);
  const timers = createHeldTimers(clock, lines, of);
  const inputs: PlayedInputs = {
    runtime: { clock: timers.clock, ...(inspect === undefined ? {} : { inspect }) },
    requests: {
      async send(request, _call, { replay }) {
        const knownResponse = options.known?.(request);
        return replay(knownResponse ?? (await responses.request(request, options.unanswered(request))));
      },
      report(event) {
        if ('about' in event) record(event);
      },
    },
    random: (actor) => randomAt(actor, clock.monotonic()),
  };
  let core: C | undefined;

  function record(event: RecordedEvent): void {
    if (!options.isExcluded(event, busy)) stage.record(event);
  }

  function create(config: Config): void {
    core?.stop();
    core = options.create(config, inputs);
  }

  function deliver(line: StreamInput, sink: ObjectSink | undefined): void {
    const isBusy = 'object' in line && objectOf(line.object)['kind'] === 'Application' && busy.has(nameOf(line.object));
    if (!isBusy) deliverTo(sink, line);
  }

  /** A line has no spec if the line before of its object has the same. */
  function withSpec(input: Input): Input {
    if (!('object' in input)) return input;
    const previous = snapshot.stream(input.stream)?.objects.get(nameOf(input.object))?.object;
    return previous === undefined ? input : { ...input, object: withSpecOf(previous, input.object) };
  }

  function feedCall(input: Input): void {
    if (input.in === 'created') create(recordedConfig(input));
    else if (input.in === 'config') core?.configure(recordedConfig(input));
    else if (input.in === 'start') core?.start();
    else if (input.in === 'stop') core?.stop();
  }

  async function feed(input: Input): Promise<void> {
    if (isRestoring()) return;
    if ('stream' in input) deliver(input, core?.needs.get(input.stream)?.sink);
    else if (input.in === 'response') responses.respond(input.request, input.response);
    // The recorded run handled it before the next input came, even if both have the same time.
    if (input.in === 'response' || input.in === 'timer') await settled();
  }

  return {
    core: () => core,
    responses,
    create,
    async take(input) {
      const line = withSpec(input);
      const isSettled = input.in === 'settled' && busy.has(input.id);
      snapshot.apply(input, { t: clock.monotonic(), wall: 0 });
      applyBusy(input, busy);
      timers.apply(input);
      feedCall(line);
      await feed(line);
      if (input.in === 'snapshotEnd') await options.resume?.();
      if (isSettled) await options.settle?.(input.id);
      if (input.in === 'snapshotEnd' || isSettled) await settled();
    },
    deliver,
    record,
  };
}

/** Takes what is busy from a line of a file. */
export function applyBusy(input: Input, busy: Set<string>): void {
  if (input.in === 'created') busy.clear();
  else if (input.in === 'snapshotEnd') for (const id of input.busy) busy.add(id);
  else if (input.in === 'settled') busy.delete(input.id);
}

/** Delivers a line of a stream to its sink. */
export function deliverTo(sink: ObjectSink | undefined, line: StreamInput): void {
  if ('object' in line) sink?.apply(line.in, line.object);
  else if (line.in === 'begin') sink?.begin();
  else if (line.in === 'end') sink?.end(line.resourceVersion);
  else if (line.in === 'lost') sink?.lost?.();
  else if (line.in === 'resumed') sink?.resumed?.();
  else if (line.in === 'rewound') sink?.rewound?.();
}

/** A replay sends no requests. */
export function noRequests(): never {
  throw new Error('a replay sends no requests');
}

/** Returns the number of responses to each request. */
function countResponses(lines: readonly RecordedLine[], of: string): ReadonlyMap<string, number> {
  const requests = lines.flatMap((line) =>
    line.of === of && 'in' in line && line.in === 'response' ? line.request : [],
  );
  return new Map([...Map.groupBy(requests, (request) => request)].map(([request, each]) => [request, each.length]));
}
