import { configFileOf } from '../../config/configText.ts';
import { createWeeder, type Weeder, type WeederOptions } from '../../weeder/weeder.ts';
import { recordedEventsOf } from './recordedWeederEvent.ts';
import { type AppendWeeder, evidenceKey } from './weederLines.ts';

/** Creates a weeder whose requests, responses, random values and decisions are recorded. */
export function recordWeeder(options: WeederOptions, append: AppendWeeder): Weeder {
  const weeder = createWeeder({
    ...options,
    async deletePod(request, signal) {
      const { uid, resourceVersion } = request;
      append({ out: 'deletion.requested', uid, resourceVersion });
      const answer = await options.deletePod(request, signal);
      append({ in: 'response', uid, response: answer });
      return answer;
    },
    async readySince(evidence, oldest, signal) {
      const key = evidenceKey(evidence);
      append({ out: 'readySince.requested', evidence: key });
      const since = await options.readySince(evidence, oldest, signal);
      append({ in: 'readySince', evidence: key, since: since ?? null });
      return since;
    },
    random() {
      const value = options.random();
      append({ in: 'random', value });
      return value;
    },
    report(event) {
      for (const recorded of recordedEventsOf(event)) append(recorded);
      options.report(event);
    },
  });
  return {
    ...weeder,
    configure(config) {
      append({ in: 'config', config: configFileOf(config) });
      return weeder.configure(config);
    },
    start() {
      append({ in: 'start' });
      weeder.start();
    },
    stop() {
      append({ in: 'stop' });
      weeder.stop();
    },
  };
}
