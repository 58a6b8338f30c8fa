import { z } from 'zod';
import { isObject } from '../json.ts';
import { parseDuration } from './duration.ts';
import { quoted } from './fault.ts';
import { dnsLabel } from './names.ts';
import { labelSelector, mapOf, nameOf, optional, requirement, whenMissing } from './selectorSchema.ts';

/** A Node timer counts to 2^31 - 1 ms, which is 24 days and 20 hours. */
const longestWindow = 24 * 24 * 3_600_000;

const unitless = 'found a number without a unit; a duration is written like 5m0s or 90s';

const watchDuration = z
  .codec(
    z.string({ error: ({ input }) => (typeof input === 'number' ? unitless : undefined) }).meta({
      pattern: '^\\+?(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$',
      examples: ['5m0s', '1h30m', '90s'],
    }),
    z.number(),
    {
      decode: (text, context) => {
        const duration = parseDuration(text);
        const refusal = duration.ok ? refusedWindow(text, duration.value) : duration.problem;
        if (duration.ok && refusal === undefined) return duration.value;
        context.issues.push({ code: 'custom', input: text, message: refusal ?? '' });
        return z.NEVER;
      },
      encode: (milliseconds) => `${milliseconds}ms`,
    },
  )
  .describe(
    'How long after a recovery crash-looping dependants are deleted. A Go duration above 0 and at most 576h (24 days: a timer counts to 2^31 - 1 ms).',
  );

function refusedWindow(text: string, milliseconds: number): string | undefined {
  if (milliseconds <= 0) return `found ${quoted(text)}, must be longer than 0`;
  if (milliseconds <= longestWindow) return undefined;
  return `found ${quoted(text)}, must be at most 576h (24 days): a timer counts to 2147483647 ms`;
}

const namespaceNames = z.array(nameOf(dnsLabel)).min(1, {
  error: 'this list is empty; name a namespace, or leave out the key',
});

const namespaces = namespaceNames.describe(
  'Where the service lives: names of namespaces. Without it, every watched namespace.',
);

const dependantNamespaces = z
  .union([z.enum(['same', 'all']), namespaceNames])
  .describe(
    'Where the dependants are looked for: `same` is the namespace of the service that recovered, `all` is every watched namespace, a list names them.',
  );

const onStart = z
  .enum(['recent', 'always', 'never'])
  .describe(
    'Services that are already ready when weeder starts: `recent` opens a window for those that became ready less than `watchDuration` ago, for what is left of it; `always` opens a full window for each; `never` opens none.',
  );

const whileNotReady = z
  .enum(['hold', 'delete'])
  .describe(
    'What happens in an open window while the service is down again: `hold` waits until it is back, since a pod started now would only crash again; `delete` goes on, as the Go original does.',
  );

const barePods = z
  .enum(['keep', 'delete'])
  .describe(
    'Pods without a controller, which nothing would bring back: `keep` leaves them, `delete` deletes them too.',
  );

const deletion = z
  .enum(['delete', 'evict'])
  .describe('`delete` deletes the pod; `evict` uses the Eviction API, so that PodDisruptionBudgets hold.');

const gracePeriodSeconds = z
  .int()
  .min(0, { error: ({ input }) => `found ${String(input)}, must be 0 or more` })
  .describe(
    "Seconds a pod gets to stop. Without it, the pod's own `terminationGracePeriodSeconds`. 0 removes the pod from the API without waiting for its node.",
  );

/** One service: whose dependants, and what differs from the top of the file. */
const service = z
  .strictObject({
    podSelectors: z
      .array(labelSelector, whenMissing('missing; give a list with at least one label selector'))
      .min(1, { error: 'this list is empty; give at least one label selector' })
      .describe('The dependants: pods that match any of these selectors.'),
    watchDuration: optional(watchDuration),
    namespaces: optional(namespaces),
    dependantNamespaces: optional(dependantNamespaces),
    onStart: optional(onStart),
    whileNotReady: optional(whileNotReady),
    barePods: optional(barePods),
    deletion: optional(deletion),
    gracePeriodSeconds: optional(gracePeriodSeconds),
  })
  .describe('A service and its dependants. Keys given here win over those at the top of the file.');

const services = mapOf(dnsLabel, service, 'missing; name at least one service and the selectors of its dependants')
  .refine((map) => Object.keys(map).length > 0, {
    error: 'no service is named here; name at least one',
    when: ({ value }) => isObject(value),
  })
  .meta({
    description: 'The services to watch, by name, in every watched namespace unless `namespaces` says otherwise.',
    propertyNames: { pattern: dnsLabel.pattern.source },
    minProperties: 1,
  });

/** A key with a default, for which an empty value counts as left out. */
function withDefault<T extends z.ZodType>(schema: T, value: z.input<T>) {
  return z.preprocess((input) => input ?? undefined, schema.prefault(value));
}

/** The config file: the Go original's format with weeder's additions. Gives the parser, the type and the JSON Schema. */
export const configFile = z.strictObject({
  servicesAndDependantSelectors: services,
  watchDuration: withDefault(watchDuration, '5m0s'),
  namespaces: optional(namespaces),
  dependantNamespaces: withDefault(dependantNamespaces, 'same'),
  onStart: withDefault(onStart, 'recent'),
  whileNotReady: withDefault(whileNotReady, 'hold'),
  barePods: withDefault(barePods, 'keep'),
  deletion: withDefault(deletion, 'delete'),
  gracePeriodSeconds: optional(gracePeriodSeconds),
});

/** What a valid config file says, durations in milliseconds. */
export type ConfigFile = z.output<typeof configFile>;

/** The keys that the mapping at a path may have; the depth tells which of the four kinds of mapping it is. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const shape = [configFile.shape, service.shape, labelSelector.shape, requirement.shape][path.length / 2];
  return Object.keys(shape ?? {});
}
