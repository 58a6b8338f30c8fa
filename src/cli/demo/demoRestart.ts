import type { ShopEvent } from '../../demo/restart/events.ts';
import { configText } from '../../demo/restart/objects.ts';
import { rolloutTable } from '../../demo/restart/rolloutTable.ts';
import { playRestarts, playWithPlainWatcher, type RestartOutcome } from '../../demo/restart/run.ts';
import { restartTimelineEntry } from '../../demo/restart/timeline.ts';
import type { RestartEvent } from '../../restart/references/events.ts';
import type { DemoFlags } from './demoFlags.ts';
import { line, print, printTable } from './demoOutput.ts';
import { showStory } from './demoStory.ts';

/** `weeder demo restart`: the story of a shop whose ConfigMaps and Secrets change. Resolves with the exit code. */
export function demoRestart(flags: DemoFlags): Promise<number> {
  return showStory(flags, {
    play: playRestarts,
    configText,
    usualSpeed: 4,
    length: 96_000,
    pace: (speed) => `Time runs ${speed} times as fast`,
    setting: 'web and payments use one ConfigMap, cart another one; db and report a Secret.',
    linesOf,
    idle: 'weeder is down',
    printOutcome: printOutcome,
  });
}

function linesOf(time: number, event: ShopEvent | RestartEvent): readonly string[] {
  const entry = restartTimelineEntry(event);
  return entry === undefined ? [] : [line(time, entry)];
}

async function printOutcome({ results, deviations }: RestartOutcome, seed: number): Promise<boolean> {
  const plain = await playWithPlainWatcher(seed);
  print('', 'The same story with a watcher that restarts each user of a changed source:', '');
  printTable(rolloutTable(results, plain));
  if (deviations.length > 0) print('', 'Not as expected:', ...deviations);
  return deviations.length === 0;
}
