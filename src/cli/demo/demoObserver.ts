import { styleText } from 'node:util';
import type { StoryFact } from '../../demo/observer/facts.ts';
import { faultsOf, outcomeTable } from '../../demo/observer/outcome.ts';
import { playObserver } from '../../demo/observer/run.ts';
import type { Told } from '../../demo/observer/tell.ts';
import { type DiffLine, observerEntry } from '../../demo/observer/timeline.ts';
import type { DemoFlags } from './demoFlags.ts';
import { heading, line, say, sayTable } from './demoOutput.ts';
import { tellDemo } from './demoStory.ts';

/** A diff stands below what is said, which begins here. */
const margin = 20;

/** `weeder demo observer`: the story of an application that people and programs change. Resolves with the exit code. */
export function demoObserver(flags: DemoFlags): Promise<number> {
  return tellDemo(flags, {
    play: playObserver,
    // As it is: a correction takes milliseconds, and that is to be seen.
    usualSpeed: 1,
    length: 22_000,
    pace: (speed) => (speed === 1 ? 'Time runs as it does' : `Time runs ${speed} times as fast, milliseconds too`),
    setting: 'The schema observes images, ports and the label app, but not the replicas.',
    linesOf,
    idle: 'nothing is observed',
    sayOutcome,
  });
}

function linesOf(time: number, fact: StoryFact): readonly string[] {
  if (fact.type === 'chapter.began') return ['', heading(`${fact.number}. ${fact.chapter.title}`)];
  const entry = observerEntry(fact, Math.min(process.stdout.columns || 80, 120) - margin);
  return entry === undefined ? [] : [line(time, entry), ...entry.diff.map(diffLine)];
}

const colours = { path: 'dim', wanted: 'green', found: 'red' } as const;

function diffLine({ is, text }: DiffLine): string {
  return `${' '.repeat(margin)}${styleText(colours[is], text, { stream: process.stdout })}`;
}

/** Whether it went as it should. */
function sayOutcome(told: readonly Told[]): boolean {
  say('', 'What was done to the application, and what became of it:', '');
  sayTable(outcomeTable(told));
  const faults = faultsOf(told);
  if (faults.length > 0) say('', ...faults);
  return faults.length === 0;
}
