import { isObject } from '@weeder/kube-runtime/base';
import { dnsLabel, dnsSubdomain } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import { contradictions, type Durations, durationsOf } from './restartLimits.ts';
import { defaultSettings, ruleSettings } from './restartSettings.ts';
import { atLeastOne, nameOf, namespaceNames, optional, selectorOf, withDefault } from './selectorSchema.ts';
import { kindIssues, kindsOfRule, workloadKinds } from './workloadKinds.ts';

const rule = z
  .strictObject({
    namespaces: optional(namespaceNames).describe(
      'The namespaces of the workloads. Without it, every watched namespace.',
    ),
    kinds: optional(kindsOfRule).describe(
      'The kinds of workload. Without it, all five of Kubernetes and those of `workloadKinds`.',
    ),
    selector: optional(selectorOf('workload')).describe('The labels of the workloads. Without it, all workloads.'),
    ...ruleSettings,
  })
  .describe('Which workloads are managed. Keys here override those at the top of `restartControl`.');

const hashKey = z
  .strictObject({
    namespace: optional(nameOf(dnsLabel)).describe("The namespace of the Secret. Without it, weeder's own namespace."),
    name: withDefault(nameOf(dnsSubdomain), 'weeder-hash-key').describe('The name of the Secret.'),
  })
  .describe(
    'The Secret with the random key for the hashes. weeder creates it if it is missing; another key restarts nothing.',
  );

const rules = z.array(rule);

/** The section `restartControl` as a mapping. */
export const restartMapping = z
  .strictObject({
    rules: withDefault(rules, []).describe(
      'Which workloads are managed: the first rule that matches a workload applies. A workload with the annotation `weeder.dev/restart-on-change: "true"` that no rule matches is managed too, and one with `"false"` never is.',
    ),
    ...defaultSettings,
    maxRestartsPerMinute: withDefault(atLeastOne, 30).describe('How many restarts may begin in a minute in total.'),
    burst: withDefault(atLeastOne, 20).describe(
      'The maximum number of restarts in a burst, after a time without restarts.',
    ),
    maxConcurrentRollouts: withDefault(atLeastOne, 10).describe('The maximum number of concurrent rollouts.'),
    maxAdoptionsPerMinute: withDefault(atLeastOne, 120).describe(
      'How many workloads may be adopted in a minute. An adoption restarts nothing, but the annotation makes the controllers of Kubernetes reconcile the workload.',
    ),
    access: withDefault(z.enum(['all', 'named']), 'all').describe(
      '`all` watches the ConfigMaps and Secrets of whole namespaces; `named` watches each used source by its name, so that a Role can name them.',
    ),
    sourceKinds: withDefault(
      z.array(z.enum(['ConfigMap', 'Secret'])).min(1, {
        error: 'this list is empty; name a kind, or leave out the key',
      }),
      ['ConfigMap', 'Secret'],
    ).describe(
      'The kinds of source that are followed. With `[ConfigMap]` weeder neither watches nor reads Secrets that workloads use, a Role without them is enough, and a change of a Secret restarts nothing.',
    ),
    hashKey: withDefault(hashKey, {}),
    workloadKinds,
  })
  .superRefine(
    (section, context) => {
      const report = contradictionReporter(context);
      const top = report([], section, builtIn);
      const entries = listOf(section.rules);
      for (const [index, rule] of entries) report(['rules', index], rule, top);
      for (const issue of kindIssues(section.workloadKinds, entries, ['rules'])) addIssue(context, issue);
    },
    { when: ({ value }) => isObject(value) },
  );

/** The durations of an empty mapping. */
const builtIn = durationsOf(z.strictObject(defaultSettings).parse({}), () => false);

/** A bare list stands for a mapping with only `rules`. */
const bareRules = rules.superRefine(
  (list, context) => {
    const report = contradictionReporter(context);
    const entries = listOf(list);
    for (const [index, rule] of entries) report([index], rule, builtIn);
    for (const issue of kindIssues(undefined, entries, [])) addIssue(context, issue);
  },
  { when: ({ value }) => Array.isArray(value) },
);

/** Returns a function that adds an issue for each contradiction in the mapping at a path, and returns its durations. */
function contradictionReporter(context: z.RefinementCtx) {
  const invalid = new Set(context.issues.map((issue) => issue.path?.join('.')));
  return (path: readonly (string | number)[], mapping: unknown, above: Durations): Durations => {
    const here = durationsOf(mapping, (key) => invalid.has([...path, key].join('.')));
    for (const { key, message } of contradictions(here, above)) {
      context.addIssue({ code: 'custom', path: [...path, key], message });
    }
    return here;
  };
}

function addIssue(context: z.RefinementCtx, { path, message }: ReturnType<typeof kindIssues>[number]): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}

function listOf(value: unknown): readonly (readonly [number, unknown])[] {
  return Array.isArray(value) ? [...value.entries()] : [];
}

export const restartControl = z
  .union([restartMapping, bareRules])
  .describe(
    'Restarts workloads when the ConfigMaps and Secrets that they use have changed. A list in place of the mapping is its `rules`. Without this section no workload is managed.',
  );

export type RestartRuleEntry = z.output<typeof rule>;
export type RestartMapping = z.output<typeof restartMapping>;
export type RestartSection = z.output<typeof restartControl>;
