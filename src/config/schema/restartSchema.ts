import { z } from 'zod';
import { isObject } from '../../base/json.ts';
import { workloadKindNames } from '../../kube/objects/workloadKinds.ts';
import { dnsLabel, dnsSubdomain } from './names.ts';
import { contradictions, type Durations, durationsOf } from './restartLimits.ts';
import { defaultSettings, ruleSettings } from './restartSettings.ts';
import { nameOf, namespaceNames, optional, selectorOf, withDefault } from './selectorSchema.ts';

const atLeastOne = z.int().min(1, { error: ({ input }) => `found ${String(input)}, must be 1 or more` });

const rule = z
  .strictObject({
    namespaces: optional(namespaceNames).describe(
      'Where the workloads live: names of namespaces. Without it, every watched namespace.',
    ),
    kinds: optional(
      z.array(z.enum(workloadKindNames)).min(1, { error: 'this list is empty; name a kind, or leave out the key' }),
    ).describe('Which kinds of workload. Without it, all five.'),
    selector: optional(selectorOf('workload')).describe('Labels of the workload. Without it, all of them.'),
    ...ruleSettings,
  })
  .describe('Which workloads are managed. Keys given here win over those at the top of `restartControl`.');

const hashKey = z
  .strictObject({
    namespace: optional(nameOf(dnsLabel)).describe("Where the Secret is. Without it, weeder's own namespace."),
    name: withDefault(nameOf(dnsSubdomain), 'weeder-hash-key').describe('Its name.'),
  })
  .describe(
    'The Secret with the random key that the hashes are made with. It is made when it is missing; another key restarts nothing.',
  );

const rules = z.array(rule);

/** The section `restartControl` as a mapping. */
export const restartMapping = z
  .strictObject({
    rules: withDefault(rules, []).describe(
      'Which workloads are managed: the first rule that matches a workload counts. A workload with the annotation `weeder.dev/restart-on-change: "true"` that no rule matches is managed too, and one with `"false"` never is.',
    ),
    ...defaultSettings,
    maxRestartsPerMinute: withDefault(atLeastOne, 30).describe('How many restarts may begin in a minute, in all.'),
    burst: withDefault(atLeastOne, 20).describe('How many restarts may begin at once after a quiet time.'),
    maxConcurrentRollouts: withDefault(atLeastOne, 10).describe('How many rollouts may be under way at once.'),
    maxAdoptionsPerMinute: withDefault(atLeastOne, 120).describe(
      'How many workloads may get their first annotation in a minute. That restarts nothing, but the controllers of Kubernetes look at each of them again.',
    ),
    access: withDefault(z.enum(['all', 'named']), 'all').describe(
      '`all` watches the ConfigMaps and Secrets of whole namespaces; `named` watches each used one by its name, so that a Role can name them.',
    ),
    sourceKinds: withDefault(
      z.array(z.enum(['ConfigMap', 'Secret'])).min(1, {
        error: 'this list is empty; name a kind, or leave out the key',
      }),
      ['ConfigMap', 'Secret'],
    ).describe(
      'Which kinds of source are followed. With `[ConfigMap]` no Secret that a workload uses is ever watched or read, and a Role without Secrets is enough; a change of one restarts nothing.',
    ),
    hashKey: withDefault(hashKey, {}),
  })
  .superRefine(
    (section, context) => {
      const tell = contradictionTeller(context);
      const top = tell([], section, builtIn);
      for (const [index, each] of listOf(section.rules)) tell(['rules', index], each, top);
    },
    { when: ({ value }) => isObject(value) },
  );

/** The durations of an empty mapping. */
const builtIn = durationsOf(z.strictObject(defaultSettings).parse({}), () => false);

/** A bare list stands for a mapping with only `rules`. */
const bareRules = rules.superRefine(
  (list, context) => {
    const tell = contradictionTeller(context);
    for (const [index, each] of listOf(list)) tell([index], each, builtIn);
  },
  { when: ({ value }) => Array.isArray(value) },
);

/** Returns a function that adds an issue for each contradiction in the mapping at a path, and returns its durations. */
function contradictionTeller(context: z.RefinementCtx) {
  const faulty = new Set(context.issues.map((issue) => issue.path?.join('.')));
  return (path: readonly (string | number)[], mapping: unknown, above: Durations): Durations => {
    const here = durationsOf(mapping, (key) => faulty.has([...path, key].join('.')));
    for (const { key, message } of contradictions(here, above)) {
      context.addIssue({ code: 'custom', path: [...path, key], message });
    }
    return here;
  };
}

function listOf(value: unknown): readonly (readonly [number, unknown])[] {
  return Array.isArray(value) ? [...value.entries()] : [];
}

export const restartControl = z
  .union([restartMapping, bareRules])
  .describe(
    'Restarts workloads when the ConfigMaps and Secrets that they use have changed. A list instead of the mapping is its `rules`. Without this section no workload is managed.',
  );

export type RestartRuleEntry = z.output<typeof rule>;
export type RestartMapping = z.output<typeof restartMapping>;
export type RestartSection = z.output<typeof restartControl>;
