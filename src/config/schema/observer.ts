import { z } from 'zod';
import { allowedResources } from './allowedResources.ts';
import { duration } from './durationSchema.ts';
import { maintenanceWindowsFor } from './maintenanceSchema.ts';
import { atLeastOne, withDefault } from './selectorSchema.ts';

/** The section `observer`. Each Application itself defines what is observed, and how. */
export const observerSection = z
  .strictObject({
    allow: allowedResources.describe(
      'What Applications may hold, regardless of the permissions of their account. Without it: namespaced kinds, in the Application’s own namespace. weeder does not touch a resource that no entry allows, and the status of the Application reports it.',
    ),
    maintenanceWindows: withDefault(
      maintenanceWindowsFor(
        'Drift is corrected only while one of these maintenance windows is open, and otherwise only reported. A changed Application is applied at any time. Without any, drift is corrected at any time.',
      ),
      [],
    ),
    pruneDelay: withDefault(
      duration('fromZero').describe(
        'How long a resource that leaves an Application waits for another Application that lists it, before it is deleted. It does not wait in a namespace that is being deleted.',
      ),
      '3s',
    ),
    trialPeriod: withDefault(
      duration('fromZero').describe(
        'How often weeder repeats the dry run of each manifest, because admission and defaults may change. At most one dry run starts in two seconds on average, so that with more than 300 resources each is repeated less often than every ten minutes. `0s`: only after a start and an update.',
      ),
      '10m0s',
    ),
    applicationsPerNamespace: withDefault(
      atLeastOne.describe(
        'How many Applications of a namespace are managed. If there are more, the newest are refused, as are those that exceed one of the next three limits.',
      ),
      100,
    ),
    resourcesPerNamespace: withDefault(
      atLeastOne.describe('How many resources the Applications of a namespace may have in total.'),
      2_000,
    ),
    bytesPerNamespace: withDefault(
      atLeastOne.describe(
        'The total size of the specs of the Applications of a namespace, in bytes of JSON. weeder needs several times as much memory for them.',
      ),
      16 * 1024 * 1024,
    ),
    bytes: withDefault(
      atLeastOne.describe('The same for all namespaces together. Give weeder more memory before you raise it.'),
      48 * 1024 * 1024,
    ),
  })
  .describe(
    'Manages Applications (`applications.weeder.dev`): applies their manifests, and corrects drift. `observer: {}` is enough. Without this section no Application is managed.',
  );

/** The section `observer`, with all defaults applied. */
export type ObserverConfig = z.output<typeof observerSection>;

/** The section with nothing but defaults. */
export const defaultObserver: ObserverConfig = observerSection.parse({});
