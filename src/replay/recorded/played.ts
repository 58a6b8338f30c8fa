import type { InspectionEvent } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { settled, type VirtualClock } from '../../base/virtualClock.ts';
import type { Config } from '../../config/config.ts';
import type { ObjectSink } from '../../kube/watch/sink.ts';
import type { RecordedEvent } from '../../recording/events.ts';
import type { Input, StreamInput } from '../../recording/file/entry.ts';
import type { Requests } from '../../recording/file/requests.ts';
import type { ControllerName, RecordedLine, RecordingHeader } from '../../recording/lines.ts';
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

/** What the controllers of one replay share. */
export interface Stage {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
  readonly clock: VirtualClock;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** What a controller is created with in place of the API server. */
interface PlayedInputs {
  readonly runtime: ActorRuntime;
  readonly requests: Requests;
  readonly random: () => number;
}

interface PlayedOptions<C extends PlayedCore> {
  readonly of: ControllerName;
  create(config: Config, inputs: PlayedInputs): C;
  /** Answers a request with the recorded responses. Default: with the next one to the same request. */
  answer?(request: string, responses: Responses<unknown>): Promise<unknown>;
  /** The response to a request that has no recorded response. */
  unanswered(request: string): unknown;
  /** Whether a response without a pending request is stored for a later request. Default: always. */
  isStored?(request: string): boolean;
  /** Called with each request that is reported as an event. */
  report(event: RecordedEvent): void;
}

/** The real controller in simulated time, with the recorded inputs. */
interface Played<C extends PlayedCore> {
  /** Undefined: no input has been recorded so far. */
  core(): C | undefined;
  readonly responses: Responses<unknown>;
  create(config: Config): void;
  take(input: Input): Promise<void>;
}

export function createPlayed<C extends PlayedCore>(stage: Stage, options: PlayedOptions<C>): Played<C> {
  const { clock, inspect, lines } = stage;
  const { of, unanswered, isStored, answer = (request, from) => from.request(request, unanswered(request)) } = options;
  const responses = createResponses<unknown>(countResponses(lines, of), isStored);
  const randomAt = recordedRandom(lines, stage.header.part > 1, of);
  const inputs: PlayedInputs = {
    runtime: { clock, ...(inspect === undefined ? {} : { inspect }) },
    requests: {
      send: async (request, _call, { replay }) => replay(await answer(request, responses)),
      report(event) {
        if ('about' in event) options.report(event);
      },
    },
    random: () => randomAt(clock.monotonic()),
  };
  let core: C | undefined;

  function create(config: Config): void {
    core?.stop();
    core = options.create(config, inputs);
  }

  return {
    core: () => core,
    responses,
    create,
    async take(input) {
      if ('stream' in input) deliver(input, core?.needs.get(input.stream)?.sink);
      else if (input.in === 'created') create(recordedConfig(input.config));
      else if (input.in === 'config') core?.configure(recordedConfig(input.config));
      else if (input.in === 'start') core?.start();
      else if (input.in === 'stop') core?.stop();
      else if (input.in === 'response') {
        responses.respond(input.request, input.response);
        // A response was handled before the next input came, even if both have the same time.
        await settled();
      }
    },
  };
}

/** Delivers a line of a stream to its sink. */
export function deliver(line: StreamInput, sink: ObjectSink | undefined): void {
  if ('object' in line) sink?.apply(line.in, line.object);
  else if (line.in === 'begin') sink?.begin();
  else if (line.in === 'end') sink?.end(line.resourceVersion);
  else if (line.in === 'lost') sink?.lost?.();
  else if (line.in === 'resumed') sink?.resumed?.();
}

/** A replay sends no requests. */
export function noRequests(): never {
  throw new Error('a replay sends no requests');
}

/** Returns the number of responses to each request. */
function countResponses(lines: readonly RecordedLine[], of: ControllerName): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    if (line.of !== of || !('in' in line) || line.in !== 'response') continue;
    counts.set(line.request, (counts.get(line.request) ?? 0) + 1);
  }
  return counts;
}
