import { formatDuration } from '@weeder/kube-runtime/base';
import { dnsLabel } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import { keysBelow } from '../text/keys.ts';
import { duration } from './durationSchema.ts';
import { maintenanceWindowsFor } from './maintenanceSchema.ts';
import { notifications } from './notificationsSchema.ts';
import { observerSection } from './observer.ts';
import { restartControl } from './restartSchema.ts';
import {
  atLeastOne,
  labelSelector,
  mapOf,
  namespaceNames,
  optional,
  section,
  whenMissing,
  withDefault,
} from './selectorSchema.ts';

const watchDuration = duration('aboveZero').describe(
  'How long weeder deletes crash-looping dependants after a recovery. A Go duration above 0 and at most 576h (24 days, the limit of a timer of 2^31 - 1 ms).',
);

const namespaces = namespaceNames.describe('The namespaces of the service. Without it, every watched namespace.');

const dependantNamespaces = z
  .union([z.enum(['same', 'all']), namespaceNames])
  .describe(
    'The namespaces of the dependants: `same` is the namespace of the service that recovered, `all` is every watched namespace, a list names them. All but `same` need `namespaces`; otherwise a service of this name in any namespace would open windows over the dependants of others.',
  );

const onStart = z
  .enum(['recent', 'always', 'never'])
  .describe(
    'Services that are already ready when weeder starts: `recent` opens a window for those that became ready less than `watchDuration` ago, for the rest of that time; `always` opens a full window for each; `never` opens none.',
  );

const whileNotReady = z
  .enum(['hold', 'delete'])
  .describe(
    'What happens in an open window while the service is down again: `hold` waits until it is ready, because a pod that starts now would only crash again, and its dependants also wait in windows of other services; `delete` continues, as the Go original does.',
  );

const barePods = z
  .enum(['keep', 'delete'])
  .describe(
    'What happens to pods without a controller, which nothing would recreate: `keep` skips them, `delete` deletes them too.',
  );

const deletion = z
  .enum(['delete', 'evict'])
  .describe('`delete` deletes the pod; `evict` uses the Eviction API, which respects PodDisruptionBudgets.');

const gracePeriodSeconds = z
  .int()
  .min(0, { error: ({ input }) => `found ${String(input)}, must be 0 or more` })
  .describe(
    "The grace period of a deletion in seconds. Without it, the pod's own `terminationGracePeriodSeconds`. 0 removes the pod from the API without waiting for its node.",
  );

const shortestPace = 100;

const pace = z
  .strictObject({
    pods: atLeastOne.describe('How many deletions.'),
    per: duration('aboveZero')
      .refine((time) => time >= shortestPace, {
        error: ({ input }) =>
          `found ${formatDuration(Number(input))}, must be ${formatDuration(shortestPace)} or longer`,
      })
      .describe('In how much time. A Go duration of at least 100ms.'),
  })
  .describe(
    'At most `pods` deletions for the service in any time `per` (at least 100ms), such as `{ pods: 50, per: 1s }`, in all its windows together. The others wait, and do not delay those of other services. Without it, only the limits of all deletions apply.',
  );

const maintenanceWindows = maintenanceWindowsFor(
  'Pods are deleted only while one of these maintenance windows is open. A recovery outside of them deletes nothing, unless one opens within `watchDuration`. Without any, pods are deleted at any time.',
);

const settings = {
  watchDuration: optional(watchDuration),
  onStart: optional(onStart),
  whileNotReady: optional(whileNotReady),
  barePods: optional(barePods),
  deletion: optional(deletion),
  gracePeriodSeconds: optional(gracePeriodSeconds),
  pace: optional(pace),
  maintenanceWindows: optional(maintenanceWindows),
};

const evidence = z
  .strictObject({
    logLines: withDefault(
      z
        .int()
        .min(1, { error: outsideLogLines })
        .max(200, { error: outsideLogLines })
        .describe('How many lines, from the last one. Of longer logs only the last 4 KiB are kept.'),
      20,
    ),
  })
  .describe(
    'Before weeder deletes a pod, it copies the end of the log of the crashed container to its own log. It needs the permission `get` for `pods/log`. Without this section no log is read.',
  );

function outsideLogLines({ input }: { readonly input?: unknown }): string {
  return `found ${String(input)}, must be from 1 to 200`;
}

/** One service: the selectors of its dependants, and settings that differ from the top of the file. */
const service = z
  .strictObject({
    podSelectors: z
      .array(labelSelector, whenMissing('missing; give a list with at least one label selector'))
      .min(1, { error: 'this list is empty; give at least one label selector' })
      .describe('The dependants: pods that match any of these selectors.'),
    namespaces: optional(namespaces),
    dependantNamespaces: optional(dependantNamespaces),
    ...settings,
  })
  .describe('A service and its dependants. Keys here override those at the top of the file.');

const services = mapOf(dnsLabel, service).meta({
  description: 'The services to watch, by name, in every watched namespace unless `namespaces` says otherwise.',
  propertyNames: { pattern: dnsLabel.pattern.source },
});

const siblingEvidence = z
  .strictObject({
    readyFor: withDefault(
      duration('aboveZero').describe(
        'How long a dependant that has crash-looped stays Ready until it counts. Each window that its workload opens doubles this for the workload, for an hour.',
      ),
      '10s',
    ),
    windowsPerHour: withDefault(
      atLeastOne.describe('How many windows of one service open in this way in any hour.'),
      6,
    ),
  })
  .describe(
    'For services whose EndpointSlices do not show an outage, such as those outside the cluster: if one of several crash-looping dependants that declare the service runs again, a window opens for the others. Only pods in the namespace of the service count. Without this section, only EndpointSlices count.',
  );

/** Services that pods declare by label; it has the settings of a service that the config names. */
const declaredDependencies = z
  .strictObject({
    namespaces: optional(
      namespaceNames.describe(
        'The namespaces of the pods whose declarations count. Without it, every watched namespace. The services that they declare may be in any watched namespace.',
      ),
    ),
    siblingEvidence: section('siblingEvidence', siblingEvidence),
    ...settings,
  })
  .describe(
    'Watches the services that pods declare by their label `weeder.dev/depends-on`. `declaredDependencies: {}` is enough. Without this section the label has no effect. Keys here override those at the top of the file.',
  );

/** What waits for an admission webhook; it has those settings of a service that concern its windows. */
const podCreation = z
  .strictObject({
    maxPerSecond: withDefault(atLeastOne.describe('How many objects weeder annotates in any second.'), 50),
    watchDuration: optional(watchDuration),
    onStart: optional(onStart),
    whileNotReady: optional(whileNotReady),
  })
  .describe(
    'Watches the services of the admission webhooks without which no pod can be created. When such a service recovers, weeder annotates the ReplicaSets, StatefulSets, DaemonSets, Jobs and ReplicationControllers whose pods it refused, so that their controllers try again at once. `podCreation: {}` is enough. Keys here override those at the top of the file.',
  );

/**
 * The config file: the Go original's format with weeder's additions. Defines the parser, the type and the JSON Schema.
 */
export const configFile = z
  .strictObject({
    servicesAndDependantSelectors: optional(services),
    declaredDependencies: section('declaredDependencies', declaredDependencies),
    watchDuration: withDefault(watchDuration, '5m0s'),
    namespaces: optional(namespaces),
    dependantNamespaces: withDefault(dependantNamespaces, 'same'),
    onStart: withDefault(onStart, 'recent'),
    whileNotReady: withDefault(whileNotReady, 'hold'),
    barePods: withDefault(barePods, 'keep'),
    deletion: withDefault(deletion, 'delete'),
    gracePeriodSeconds: optional(gracePeriodSeconds),
    pace: optional(pace),
    maintenanceWindows: withDefault(maintenanceWindows, []),
    podCreation: section('podCreation', podCreation),
    evidence: section('evidence', evidence),
    restartControl: section('restartControl', restartControl),
    observer: section('observer', observerSection),
    notifications: optional(notifications),
  })
  .superRefine((file, context) => {
    for (const path of scopesWithoutNamespaces(file))
      context.addIssue({ code: 'custom', path: [...path], message: whichService });
  });

const whichService =
  'needs `namespaces`, the namespaces of the service: without it, a service of this name in any watched namespace would have the dependants of others deleted';

interface Scope {
  readonly namespaces?: readonly string[] | undefined;
  readonly dependantNamespaces?: string | readonly string[] | undefined;
}

/** Each place that sets the namespaces of dependants without the namespaces of the service. */
function scopesWithoutNamespaces(
  file: Scope & { readonly servicesAndDependantSelectors?: Readonly<Record<string, Scope>> | undefined },
): (readonly string[])[] {
  const key = 'servicesAndDependantSelectors';
  const open = Object.entries(file[key] ?? {}).filter(
    ([, { namespaces }]) => (namespaces ?? file.namespaces) === undefined,
  );
  const isWide = ({ dependantNamespaces = 'same' }: Scope) => dependantNamespaces !== 'same';
  const own = open.filter(([, entry]) => isWide(entry)).map(([name]) => [key, name, 'dependantNamespaces']);
  const inherits = open.some(([, { dependantNamespaces }]) => dependantNamespaces === undefined);
  return inherits && isWide(file) ? [...own, ['dependantNamespaces']] : own;
}

/** The section `siblingEvidence`, with all defaults applied: `readyFor` in milliseconds. */
export type SiblingEvidence = z.output<typeof siblingEvidence>;

/** The content of a valid config file, with durations in milliseconds. */
export type ConfigFile = z.output<typeof configFile>;

/** The section `evidence`, with all defaults applied. */
export type EvidenceConfig = z.output<typeof evidence>;

/** The keys that are allowed in the mapping at a path. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  return keysBelow(configFile, path);
}
