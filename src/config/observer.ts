import { z } from 'zod';
import { duration } from './durationSchema.ts';
import { withDefault } from './selectorSchema.ts';

/** The section `observer`: what is observed and how is said by each Application. */
export const observerSection = z
  .strictObject({
    trialPeriod: withDefault(
      duration('fromZero').describe(
        'How often it is tried out, by dry runs, whether the API server still makes the same of each manifest: admission and defaults change. All trials together are one in two seconds at most, on average; of more than 300 resources each has its turn less often than every ten minutes. `0s`: after a start and an update only.',
      ),
      '10m0s',
    ),
  })
  .describe(
    'Looks after Applications (`applications.weeder.dev`): applies what they hold, and keeps it as it was applied. `observer: {}` is enough. Without this section none is looked after.',
  );

/** The section `observer`, with nothing left to default. */
export type ObserverConfig = z.output<typeof observerSection>;
