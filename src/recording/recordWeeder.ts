import { configFileOf } from '../config/configText.ts';
import { createWeeder, type Weeder, type WeederOptions } from '../weeder/weeder.ts';
import { evidenceKey, type Note } from './lines.ts';
import { toldOf } from './told.ts';

/** The weeder whose questions, answers, chances and decisions are taken down. */
export function recordWeeder(options: WeederOptions, note: Note): Weeder {
  const weeder = createWeeder({
    ...options,
    async deletePod(request, signal) {
      const { uid, resourceVersion } = request;
      note({ out: 'deletion.requested', uid, resourceVersion });
      const answer = await options.deletePod(request, signal);
      note({ in: 'answer', uid, answer });
      return answer;
    },
    async readySince(evidence, oldest, signal) {
      const key = evidenceKey(evidence);
      note({ out: 'readySince.asked', evidence: key });
      const since = await options.readySince(evidence, oldest, signal);
      note({ in: 'readySince', evidence: key, since: since ?? null });
      return since;
    },
    random() {
      const value = options.random();
      note({ in: 'random', value });
      return value;
    },
    report(fact) {
      for (const told of toldOf(fact)) note(told);
      options.report(fact);
    },
  });
  return {
    ...weeder,
    configure(config) {
      note({ in: 'config', config: configFileOf(config) });
      return weeder.configure(config);
    },
    start() {
      note({ in: 'start' });
      weeder.start();
    },
    stop() {
      note({ in: 'stop' });
      weeder.stop();
    },
  };
}
