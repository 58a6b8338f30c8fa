import { objectOf, textOf } from '../../base/json.ts';
import type { Config } from '../../config/config.ts';
import { configFileOf } from '../../config/configText.ts';
import type { ClosableSink } from '../../kube/watch/sink.ts';
import {
  type CreateObserverCore,
  createObserverCore,
  type ObserverCore,
  type ObserverCoreOptions,
} from '../../observer/observerCore.ts';
import { hashManifest } from '../../observer/plan/manifestHash.ts';
import type { ObserverNotes } from './observerLines.ts';
import { createObserverRest } from './observerRest.ts';
import { toldOfObserver } from './observerTold.ts';
import { recordObserverApi } from './recordObserverApi.ts';
import { reduceObserved } from './reduceObserved.ts';
import { secretMask } from './withoutSecretValues.ts';

/** The application observer whose streams, questions, answers, chances and decisions are taken down. */
export function recordingObserver(notes: ObserverNotes): CreateObserverCore {
  return (options) => recordObserver(options, notes);
}

function recordObserver(options: ObserverCoreOptions, notes: ObserverNotes): ObserverCore {
  const mask = secretMask(notes.key);
  const reduce = reduceObserved(mask);
  const rest = createObserverRest((application) => notes.note({ in: 'rest', application }), options.runtime.clock);
  const note: ObserverNotes['note'] = (entry) => {
    // What comes now is not acted upon yet.
    rest.look(core);
    notes.note(entry);
  };
  const hashes = new Map<string, string>();

  /** It stands in the status of applications, where a replay has to find it again. */
  function hashOf(...[manifest, shape]: Parameters<typeof hashManifest>): string {
    const hash = hashManifest(manifest, shape);
    const { apiVersion, object } = manifest;
    const of = hashManifest({ apiVersion, object: objectOf(mask.object(object)) }, shape);
    const mark = mask.mark(hash);
    if (hashes.get(of) !== mark) note({ in: 'hash', of, hash: mark });
    hashes.set(of, mark);
    return hash;
  }

  function recordingSink(stream: string, sink: ClosableSink, reduced: (object: object) => object): ClosableSink {
    return {
      begin() {
        note({ in: 'begin', stream });
        sink.begin();
      },
      apply(type, object) {
        note({ in: type, stream, object: reduced(objectOf(object)) });
        sink.apply(type, object);
      },
      end(resourceVersion) {
        note({ in: 'end', stream, ...(resourceVersion === undefined ? {} : { resourceVersion }) });
        sink.end(resourceVersion);
      },
      close() {
        note({ in: 'closed', stream });
        sink.close();
      },
    };
  }

  const specs = new Map<string, number>();
  /** An application may be a megabyte: its spec is taken down when it is another one. */
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
    ...recordObserverApi(options, reduce, note),
    hashManifest: hashOf,
    wrapApplications: (name, sink) => recordingSink(name, sink, applicationOf),
    wrapResources: ({ name: stream }, sink) => ({
      ...recordingSink(stream, sink, (object) => reduce.resource(objectOf(object))),
      lost: () => note({ in: 'lost', stream }),
      resumed: () => note({ in: 'resumed', stream }),
    }),
    report(fact) {
      note(toldOfObserver(fact));
      options.report(fact);
    },
    random() {
      const value = options.random();
      note({ in: 'random', value });
      return value;
    },
  });
  notes.onNewFile(() => rest.busyNow(core));
  // Where there never was a section `observer`, there is nothing to take down.
  let isAtWork = false;
  let isStarted = false;
  const begin = (config: Config) => {
    isAtWork = true;
    note({ in: 'created', config: configFileOf(config) });
    if (isStarted) note({ in: 'start' });
  };
  if (options.config.observer !== undefined) begin(options.config);
  return {
    get needs() {
      return core.needs;
    },
    configure(next) {
      if (isAtWork) note({ in: 'config', config: configFileOf(next) });
      else if (next.observer !== undefined) begin(next);
      core.configure(next);
    },
    start() {
      isStarted = true;
      if (isAtWork) note({ in: 'start' });
      core.start();
    },
    stop() {
      if (isAtWork) note({ in: 'stop' });
      core.stop();
    },
    drained: core.drained,
    counts: core.counts,
    work: core.work,
    actorCounts: core.actorCounts,
    actors: core.actors,
    entries: core.entries,
  };
}
