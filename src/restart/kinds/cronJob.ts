import { type Kind, withoutRollout } from './kind.ts';

/** The pods belong to the Jobs that it creates. */
export const cronJob: Kind = {
  ...withoutRollout,
  templatePath: ['spec', 'jobTemplate', 'spec', 'template'],
  restart: 'nextRun',
  replicas: () => 0,
};
