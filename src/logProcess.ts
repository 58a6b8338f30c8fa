import type { ProcessFact, ReportProcess } from './facts.ts';
import type { Logger } from './log.ts';

const sentences = {
  'leadership.acquired': { level: 'info', sentence: 'this replica leads' },
  'leadership.lost': { level: 'warn', sentence: 'this replica does not lead any more, and stands by again' },
  'leadership.released': { level: 'info', sentence: 'leadership given back' },
  'leadership.standsBy': { level: 'info', sentence: 'another replica leads, standing by' },
} as const satisfies Record<ProcessFact['type'], { readonly level: 'info' | 'warn'; readonly sentence: string }>;

/** Writes each fact as one line. */
export function logProcess(logger: Logger): ReportProcess {
  return ({ type, ...fields }) => {
    const { level, sentence } = sentences[type];
    logger[level](fields, sentence);
  };
}
