import type { InspectionEvent } from 'xstate';
import { arrayOf, objectOf } from '../json.ts';
import type { ObjectSink } from '../kube/sink.ts';
import type { RecordedLine, RecordingHeader } from '../recording/lines.ts';
import { purposeOf, questions } from '../recording/recordAnswers.ts';
import type { RecordedAnswer, RestartInput } from '../recording/restartLines.ts';
import { type RestartTold, toldOfRestart } from '../recording/restartTold.ts';
import type { Answer } from '../restart/answer.ts';
import type { HashKey } from '../restart/digest.ts';
import type { Digests } from '../restart/digests.ts';
import type { FollowKeysOptions } from '../restart/followKeys.ts';
import { hashKeysOf } from '../restart/hashKeys.ts';
import { workloadKey } from '../restart/refs.ts';
import type { RestartApi } from '../restart/restartApi.ts';
import type { RestartControl } from '../restart/restartControl.ts';
import { createRestartCore, type RestartCore } from '../restart/restartCore.ts';
import { settled, type VirtualClock } from '../virtualClock.ts';
import { createAnswers } from './answers.ts';
import { recordedConfig } from './recordedConfig.ts';
import { recordedCopy, recordedDigest } from './restartSchema.ts';

/** The real restart control in simulated time, against what was recorded of it. */
export interface RestartPlayer {
  take(input: RestartInput): Promise<void>;
  /** Undefined: nothing of it was recorded so far. */
  control(): RestartControl | undefined;
}

export interface RestartPlayerOptions {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
  readonly clock: VirtualClock;
  readonly report: (told: RestartTold) => void;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** What is asked beyond what was recorded. */
const unanswered = { is: 'refused', failure: 'network', retryAfter: 0 } as const;
const reason = 'the recording has no answer to it';

export function createRestartPlayer(options: RestartPlayerOptions): RestartPlayer {
  const { header, clock, report, inspect } = options;
  const inputs = restartInputs(options.lines);
  const chances = inputs.flatMap((input) => (input.in === 'random' ? input.value : []));
  const hashes = new Map(inputs.flatMap((input) => (input.in === 'hash' ? [[input.to, input.hash]] : [])));
  const answers = createAnswers<RecordedAnswer>(countAnswers(inputs));
  let core: RestartCore | undefined;
  let keys: Pick<FollowKeysOptions, 'onKeys' | 'onLooked'> | undefined;

  async function ask<T>(to: string, read: (value: unknown) => T): Promise<Answer<T>> {
    const answer = await answers.ask(to, unanswered);
    if (answer.is === 'refused') return { ...answer, reason };
    return answer.is === 'ok' ? { is: 'ok', value: read(answer.value) } : answer;
  }

  const api: RestartApi = {
    // What it holds is in no recording: it is answered by `digests`.
    readSource: async () => ({ ...unanswered, reason }),
    readWorkload: (ref) => ask(questions.workload(ref), objectOf),
    patchWorkload(ref, patch) {
      report({ out: 'write.requested', about: workloadKey(ref), detail: purposeOf(patch) });
      return ask(questions.patch(ref), objectOf);
    },
    listPods: (namespace, selector) => ask(questions.pods(namespace, selector), arrayOf),
    podsUsing: (namespace, sources) => ask(questions.podsUsing(namespace, sources), arrayOf),
    keepJob(job) {
      report({ out: 'write.requested', about: workloadKey(job.ref), detail: 'copy' });
      return ask(questions.keep(job.ref), (value) => recordedCopy.parse(value));
    },
    endJob({ job }) {
      report({ out: 'write.requested', about: workloadKey(job), detail: 'deletion' });
      return ask(questions.end(job), () => undefined);
    },
    makeJob({ job }) {
      report({ out: 'write.requested', about: workloadKey(job), detail: 'creation' });
      return ask(questions.make(job), () => undefined);
    },
    dropCopy({ copy }) {
      report({ out: 'write.requested', about: workloadKey(copy), detail: 'deletion' });
      return ask(questions.end(copy), () => undefined);
    },
    evict(pod) {
      report({ out: 'eviction.requested', about: `${pod.namespace}/${pod.name}`, detail: '' });
      return ask(questions.eviction(pod), () => undefined);
    },
  };

  function digestsOf(real: Digests): Digests {
    return {
      ...real,
      async digestOf(key, ref, uses) {
        const answer = await ask(questions.digest(key, ref, uses), (value) => recordedDigest.parse(value));
        if (answer.is === 'ok') return { is: 'ok', digest: answer.value };
        return answer.is === 'refused' ? answer : { is: 'refused', failure: 'conflict', retryAfter: 0, reason };
      },
      hashOf: (key, workload, tags) => hashes.get(questions.hash(key, workload, tags)) ?? 'not recorded',
    };
  }

  function begin(config: object): void {
    core?.stop();
    core = createRestartCore({
      config: recordedConfig(config),
      runtime: { clock, ...(inspect === undefined ? {} : { inspect }) },
      namespaces: header.namespaces,
      // What was recorded came through the shard.
      shard: undefined,
      isDryRun: header.isDryRun,
      ownNamespace: '',
      api,
      wrapDigests: digestsOf,
      report: (fact) => report(toldOfRestart(fact)),
      random: () => chances.shift() ?? 0.5,
      followKeys(told) {
        keys = told;
        return () => {
          keys = undefined;
        };
      },
      onStreamsChanged: () => {},
      onStreamClosed: () => {},
    });
  }

  function feed(input: RestartInput): void {
    if ('stream' in input) feedStream(input, core?.needs.get(input.stream)?.sink);
    else if (input.in === 'created') begin(input.config);
    else if (input.in === 'config') core?.configure(recordedConfig(input.config));
    else if (input.in === 'start') core?.start();
    else if (input.in === 'stop') core?.stop();
    else if (input.in === 'looked') keys?.onLooked();
    else if (input.in === 'keys') keys?.onKeys(hashKeysOf(keyNamed(input.current), input.ids.map(keyNamed)));
  }

  return {
    async take(input) {
      if (input.in === 'answer') answers.give(input.to, input.answer);
      else feed(input);
      // An answer was acted upon before the next input came, even where both have the same time.
      if (input.in === 'answer') await settled();
    },
    control: () => core?.control(),
  };
}

function feedStream(input: Extract<RestartInput, { readonly stream: string }>, sink: ObjectSink | undefined): void {
  if (input.in === 'begin') sink?.begin();
  else if (input.in === 'end') sink?.end(input.resourceVersion);
  else sink?.apply(input.in, input.object);
}

/** A key of which nothing is known but its name: nothing is made with it. */
function keyNamed(id: string): HashKey {
  return { id, bytes: Buffer.alloc(0) };
}

export function restartInputs(lines: readonly RecordedLine[]): RestartInput[] {
  return lines.flatMap((line) => ('restart' in line && 'in' in line.restart ? line.restart : []));
}

function countAnswers(inputs: readonly RestartInput[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const input of inputs) if (input.in === 'answer') counts.set(input.to, (counts.get(input.to) ?? 0) + 1);
  return counts;
}
