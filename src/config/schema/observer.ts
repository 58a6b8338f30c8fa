import { z } from 'zod';
import { allowedResources } from './allowedResources.ts';
import { duration } from './durationSchema.ts';
import { withDefault } from './selectorSchema.ts';

const atLeastOne = z.int().min(1, { error: ({ input }) => `found ${String(input)}, must be 1 or more` });

/** The section `observer`. Each Application itself defines what is observed, and how. */
export const observerSection = z
  .strictObject({
    allow: allowedResources.describe(
      'What Applications may hold, whatever their account may do: without it, kinds that live in namespaces, in the Application’s own. A resource that no entry allows is left as it is, and the Application says so.',
    ),
    trialPeriod: withDefault(
      duration('fromZero').describe(
        'How often it is tried out, by dry runs, whether the API server still makes the same of each manifest: admission and defaults change. All trials together are one in two seconds at most, on average; of more than 300 resources each has its turn less often than every ten minutes. `0s`: after a start and an update only.',
      ),
      '10m0s',
    ),
    applicationsPerNamespace: withDefault(
      atLeastOne.describe(
        'How many Applications of a namespace are managed. Of more than that, the newest are refused, as are those that exceed one of the next three limits.',
      ),
      100,
    ),
    resourcesPerNamespace: withDefault(
      atLeastOne.describe('How many resources the Applications of a namespace may have together.'),
      2_000,
    ),
    bytesPerNamespace: withDefault(
      atLeastOne.describe(
        'How long the specs of the Applications of a namespace may be together, in bytes of JSON. weeder takes several times as much memory for them.',
      ),
      16 * 1024 * 1024,
    ),
    bytes: withDefault(
      atLeastOne.describe('The same of all namespaces together; give weeder more memory before you raise it.'),
      48 * 1024 * 1024,
    ),
  })
  .describe(
    'Manages Applications (`applications.weeder.dev`): applies what they hold, and keeps it as it was applied. `observer: {}` is enough. Without this section none is managed.',
  );

/** The section `observer`, with all defaults applied. */
export type ObserverConfig = z.output<typeof observerSection>;

/** The section with nothing but defaults. */
export const defaultObserver: ObserverConfig = observerSection.parse({});
