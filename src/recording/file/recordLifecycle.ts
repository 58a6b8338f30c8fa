import type { Random } from '../../actors/effect.ts';
import type { Config } from '../../config/config.ts';
import { storedConfigOf } from '../../config/configText.ts';
import type { Append } from './entry.ts';

/** What the process calls on each controller. */
interface Lifecycle {
  configure(config: Config): void;
  start(): void;
  stop(): void;
}

/** The section of the config that a controller needs. Until a config has it, nothing is recorded. */
interface Section {
  readonly config: Config;
  isIn(config: Config): boolean;
}

/** Records calls before they are passed on. Without a `section`, the controller exists from the beginning. */
export function recordLifecycle(core: Lifecycle, append: Append, section?: Section): Lifecycle {
  let isActive = section === undefined;
  let isStarted = false;

  function begin(config: Config): void {
    isActive = true;
    append({ in: 'created', ...storedConfigOf(config) });
    if (isStarted) append({ in: 'start' });
  }

  if (section?.isIn(section.config) === true) begin(section.config);
  return {
    configure(next) {
      if (isActive) append({ in: 'config', ...storedConfigOf(next) });
      else if (section?.isIn(next) === true) begin(next);
      core.configure(next);
    },
    start() {
      isStarted = true;
      if (isActive) append({ in: 'start' });
      core.start();
    },
    stop() {
      if (isActive) append({ in: 'stop' });
      core.stop();
    },
  };
}

/** Records each random value, and for which actor it is. */
export function recordRandom(random: Random, append: Append): Random {
  return (actor) => {
    const value = random(actor);
    append({ in: 'random', value, for: actor });
    return value;
  };
}
