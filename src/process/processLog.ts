import type { CodedError } from '@weeder/kube-runtime/base';
import type { LeadershipChange } from '@weeder/kube-runtime/lease';
import type { Logger } from '../base/log.ts';
import type { ConfigChange } from '../config/compare.ts';
import { type Config, isNeutral } from '../config/config.ts';

/** What the process reports in addition to the events of the weeder, one object per event. */
export type ProcessEvent =
  | LeadershipChange
  /** A new config is in force. All lists are empty if the new text means the same. */
  | ({ readonly type: 'config.applied'; readonly generation: number } & ConfigChange)
  /** The config is invalid: the previous one stays in force. */
  | { readonly type: 'config.rejected'; readonly generation: number; readonly problem: CodedError };

export type ReportProcess = (event: ProcessEvent) => void;

const messages = {
  'leadership.acquired': { level: 'info', message: 'this replica leads' },
  'leadership.lost': { level: 'warn', message: 'lost leadership, standing by' },
  'leadership.released': { level: 'info', message: 'lease released' },
  'leadership.standsBy': { level: 'info', message: 'another replica leads, standing by' },
  'config.applied': { level: 'info', message: 'config applied' },
  'config.rejected': { level: 'error', message: 'config rejected, previous config stays in force' },
} as const satisfies Record<
  ProcessEvent['type'],
  { readonly level: 'info' | 'warn' | 'error'; readonly message: string }
>;

/** The event in the words of its log line. */
export function processWords({ type }: ProcessEvent): string {
  return messages[type].message;
}

/** Writes each event as one line. */
export function logProcess(logger: Logger): ReportProcess {
  return (event) => {
    const { level, message } = messages[event.type];
    logger[level](fieldsOf(event), message);
  };
}

/** In the repository, whose address only its publisher knows. */
const docs = 'docs/reference/configuration.md';

/** Writes a line if the config itself names nothing, as after a fresh install. */
export function logIfNeutral(logger: Logger, { declared, ...others }: Config): void {
  if (isNeutral(others)) logger.info({ docs }, declared === undefined ? nothingConfigured : onlyDeclared);
}

const nothingConfigured =
  'nothing is watched, because nothing is configured yet: add servicesAndDependantSelectors, declaredDependencies, podCreation, restartControl or observer to the config file, which is applied without a restart';
const onlyDeclared =
  'only services are watched that pods declare by the label weeder.dev/depends-on: for more, add servicesAndDependantSelectors, podCreation, restartControl or observer to the config file, which is applied without a restart';

function fieldsOf(event: ProcessEvent): object {
  const { type, ...fields } = event;
  if (event.type !== 'config.rejected') return fields;
  const { generation, problem } = event;
  return { generation, errors: problem.message.split('\n'), hint: problem.hint };
}
