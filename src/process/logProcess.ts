import type { Logger } from '../base/log.ts';
import type { ProcessFact, ReportProcess } from './facts.ts';

const messages = {
  'leadership.acquired': { level: 'info', message: 'this replica leads' },
  'leadership.lost': { level: 'warn', message: 'lost leadership, standing by' },
  'leadership.released': { level: 'info', message: 'lease released' },
  'leadership.standsBy': { level: 'info', message: 'another replica leads, standing by' },
  'config.applied': { level: 'info', message: 'config applied' },
  'config.rejected': { level: 'error', message: 'config rejected, the one before stays in force' },
} as const satisfies Record<
  ProcessFact['type'],
  { readonly level: 'info' | 'warn' | 'error'; readonly message: string }
>;

/** Writes each fact as one line. */
export function logProcess(logger: Logger): ReportProcess {
  return (fact) => {
    const { level, message } = messages[fact.type];
    logger[level](fieldsOf(fact), message);
  };
}

function fieldsOf(fact: ProcessFact): object {
  const { type, ...fields } = fact;
  if (fact.type !== 'config.rejected') return fields;
  const { generation, problem } = fact;
  return { generation, errors: problem.message.split('\n'), hint: problem.hint };
}
