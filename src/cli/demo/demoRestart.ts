import { rolloutTable } from '../../demo/restart/comparison.ts';
import type { ShopFact } from '../../demo/restart/facts.ts';
import { playRestarts, playWithPlainWatcher, type RestartOutcome } from '../../demo/restart/run.ts';
import { restartEntry } from '../../demo/restart/timeline.ts';
import type { RestartFact } from '../../restart/model/facts.ts';
import type { DemoFlags } from './demoFlags.ts';
import { heading, line, say, sayTable } from './demoOutput.ts';
import { tellDemo } from './demoStory.ts';

/** `weeder demo restart`: the story of a shop whose ConfigMaps and Secrets change. Resolves with the exit code. */
export function demoRestart(flags: DemoFlags): Promise<number> {
  return tellDemo(flags, {
    play: playRestarts,
    usualSpeed: 4,
    length: 96_000,
    pace: (speed) => `Time runs ${speed} times as fast`,
    setting: 'web and payments use one ConfigMap, cart another one; db and report a Secret.',
    linesOf,
    idle: 'weeder is away',
    sayOutcome,
  });
}

function linesOf(time: number, fact: ShopFact | RestartFact): readonly string[] {
  if (fact.type === 'chapter.began') return ['', heading(`${fact.number}. ${fact.chapter.title}`)];
  const entry = restartEntry(fact);
  return entry === undefined ? [] : [line(time, entry)];
}

async function sayOutcome({ told, faults }: RestartOutcome, seed: number): Promise<boolean> {
  const plain = await playWithPlainWatcher(seed);
  say('', 'The same story with one that restarts whatever names a source that changes:', '');
  sayTable(rolloutTable(told, plain));
  if (faults.length > 0) say('', 'This did not go as it should:', ...faults);
  return faults.length === 0;
}
