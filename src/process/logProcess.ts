import type { Logger } from '../base/log.ts';
import type { ProcessFact, ReportProcess } from './facts.ts';

const sentences = {
  'leadership.acquired': { level: 'info', sentence: 'this replica leads' },
  'leadership.lost': { level: 'warn', sentence: 'lost leadership, standing by' },
  'leadership.released': { level: 'info', sentence: 'lease released' },
  'leadership.standsBy': { level: 'info', sentence: 'another replica leads, standing by' },
  'config.applied': { level: 'info', sentence: 'config applied' },
  'config.rejected': { level: 'error', sentence: 'config rejected, the one before stays in force' },
} as const satisfies Record<
  ProcessFact['type'],
  { readonly level: 'info' | 'warn' | 'error'; readonly sentence: string }
>;

/** Writes each fact as one line. */
export function logProcess(logger: Logger): ReportProcess {
  return (fact) => {
    const { level, sentence } = sentences[fact.type];
    logger[level](fieldsOf(fact), sentence);
  };
}

function fieldsOf(fact: ProcessFact): object {
  const { type, ...fields } = fact;
  if (fact.type !== 'config.rejected') return fields;
  const { generation, problem } = fact;
  return { generation, faults: problem.sentence.split('\n'), advice: problem.advice };
}
