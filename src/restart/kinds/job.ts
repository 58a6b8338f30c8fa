import { numberOf } from '@weeder/kube-runtime/base';
import { type Kind, withoutRollout } from './kind.ts';

/** All pods of a recreated Job are new. */
export const job: Kind = {
  ...withoutRollout,
  templatePath: ['spec', 'template'],
  restart: 'recreation',
  replicas: (spec) => numberOf(spec['parallelism']) ?? 1,
};
