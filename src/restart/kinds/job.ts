import { numberOf } from '../../base/json.ts';
import { type Kind, withoutRollout } from './kind.ts';

/** All pods of a recreated Job are new. */
export const job: Kind = {
  ...withoutRollout,
  templatePath: ['spec', 'template'],
  restart: 'recreation',
  replicas: (spec) => numberOf(spec['parallelism']) ?? 1,
};
