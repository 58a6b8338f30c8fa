import { styleText } from 'node:util';
import type { StoryEvent } from '../../demo/observer/events.ts';
import { configText } from '../../demo/observer/objects.ts';
import { deviationsOf, outcomeTable } from '../../demo/observer/outcomeTable.ts';
import type { ChapterResult } from '../../demo/observer/playChapter.ts';
import { playObserver } from '../../demo/observer/run.ts';
import { type DiffLine, observerTimelineEntry } from '../../demo/observer/timeline.ts';
import type { DemoFlags } from './demoFlags.ts';
import { line, print, printTable } from './demoOutput.ts';
import { showStory } from './demoStory.ts';

/** The indentation of a diff, which begins in the column of the messages. */
const margin = 20;

/** `weeder demo observer`: the story of an application that people and programs change. Resolves with the exit code. */
export function demoObserver(flags: DemoFlags): Promise<number> {
  return showStory(flags, {
    play: playObserver,
    configText,
    // Real time: a correction takes milliseconds, and the demo should show that.
    usualSpeed: 1,
    length: 22_000,
    pace: (speed) => (speed === 1 ? 'In real time' : `Time runs ${speed} times as fast, milliseconds too`),
    setting: 'The schema observes images, ports and the label app, but not the replicas.',
    linesOf,
    idle: 'nothing is observed',
    printOutcome: printOutcome,
  });
}

function linesOf(time: number, event: StoryEvent): readonly string[] {
  const entry = observerTimelineEntry(event, Math.min(process.stdout.columns || 80, 120) - margin);
  return entry === undefined ? [] : [line(time, entry), ...entry.diff.map(diffLine)];
}

const colours = { path: 'dim', desired: 'green', found: 'red' } as const;

function diffLine({ type, text }: DiffLine): string {
  return `${' '.repeat(margin)}${styleText(colours[type], text, { stream: process.stdout })}`;
}

/** Returns whether everything went as expected. */
function printOutcome(results: readonly ChapterResult[]): boolean {
  print('', 'Changes to the application, and how weeder responded:', '');
  printTable(outcomeTable(results));
  const errors = deviationsOf(results);
  if (errors.length > 0) print('', ...errors);
  return errors.length === 0;
}
