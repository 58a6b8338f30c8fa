import { isObject } from '@weeder/kube-runtime/base';
import { dnsLabel, labelKey, labelValue, type NameRule } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import { quoted } from '../../base/fieldError.ts';

/** A key that may be missing or empty: like Go, this reads `matchLabels:` without a value as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => value ?? undefined, schema.optional());
}

/** A key with a default, which also applies to an empty value. */
export function withDefault<T extends z.ZodType>(schema: T, value: z.input<T>) {
  return z.preprocess((input) => input ?? undefined, schema.prefault(value));
}

/** A section of the file that `{}` switches on. Without a value it would be off, against what its key suggests. */
export function section<T extends z.ZodType>(key: string, schema: T) {
  const message = `this section is empty; write \`${key}: {}\` to switch it on, or remove the key`;
  return z.preprocess((value, context) => {
    if (value === null) context.addIssue({ code: 'custom', message });
    return value;
  }, schema.optional());
}

/** The error for a missing or empty key, if more can be said than its type. */
export function whenMissing(message: string | undefined) {
  return { error: ({ input }: { readonly input?: unknown }) => (input == null ? message : undefined) };
}

/** A number from 1. */
export const atLeastOne = z.int().min(1, { error: ({ input }) => `found ${String(input)}, must be 1 or more` });

/** A text that matches the rule. */
export function nameOf(rule: NameRule) {
  return z.string().regex(rule.pattern, {
    error: (issue) => `found ${quoted(String(issue.input))}, allowed are ${rule.allowed}`,
  });
}

/** Names of namespaces, at least one. */
export const namespaceNames = z.array(nameOf(dnsLabel)).min(1, {
  error: 'this list is empty; name a namespace, or leave out the key',
});

/**
 * A mapping whose keys match the rule. A key schema of zod would skip the value of a wrong key, and thus hide its
 * errors until the key is correct.
 */
export function mapOf<T extends z.ZodType>(rule: NameRule, values: T, missing?: string) {
  const wrongKey = { code: 'custom', message: `this name is not allowed; allowed are ${rule.allowed}` } as const;
  const map = z.record(z.string(), values, whenMissing(missing)).superRefine(
    (record, context) => {
      for (const key of Object.keys(record)) {
        if (!rule.pattern.test(key)) context.addIssue({ ...wrongKey, path: [key], params: { isAboutKey: true } });
      }
    },
    { when: ({ value }) => isObject(value) },
  );
  return map.meta({ propertyNames: { pattern: rule.pattern.source } });
}

/** A metav1.LabelSelectorRequirement. */
const requirement = z
  .strictObject({
    key: nameOf(labelKey).describe('The label.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('What must hold for the label.'),
    values: optional(z.array(nameOf(labelValue)).describe('At least one for In and NotIn, none otherwise.')),
  })
  .superRefine(
    ({ operator, values }, context) => {
      const count = Array.isArray(values) ? values.length : 0;
      const isAbsent = values === undefined || (Array.isArray(values) && count === 0);
      if ((operator === 'In' || operator === 'NotIn') && isAbsent) {
        context.addIssue({
          code: 'custom',
          path: ['values'],
          message: `missing; ${operator} needs at least one value`,
        });
      }
      if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
        context.addIssue({ code: 'custom', path: ['values'], message: `not allowed with ${operator}; remove the key` });
      }
    },
    { when: ({ value }) => isObject(value) },
  )
  .meta({
    if: { properties: { operator: { enum: ['In', 'NotIn'] } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword is JSON Schema's.
    then: { required: ['values'], properties: { values: { minItems: 1 } } },
    else: { properties: { values: { maxItems: 0 } } },
  });

/**
 * A metav1.LabelSelector, validated like Kubernetes does, and never empty: an empty one would match every object of the
 * kind that it selects.
 */
export function selectorOf(what: 'pod' | 'workload') {
  return z
    .strictObject({
      matchLabels: optional(
        mapOf(labelKey, nameOf(labelValue)).describe(`Labels that the ${what} has, with these values.`),
      ),
      matchExpressions: optional(
        z.array(requirement).describe(`Conditions on labels; all of them hold for the ${what}.`),
      ),
    })
    .refine(
      (selector) => Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length > 0,
      {
        error: `this selector is empty and would match every ${what}; give it matchLabels or matchExpressions`,
        // Conditions may be missing only because their keys are misspelt, which has already been reported.
        when: ({ issues, value }) => issues.length === 0 && isObject(value),
      },
    )
    .meta({
      title: 'label selector',
      description: 'A Kubernetes label selector (metav1.LabelSelector).',
      anyOf: [
        { required: ['matchLabels'], properties: { matchLabels: { minProperties: 1 } } },
        { required: ['matchExpressions'], properties: { matchExpressions: { minItems: 1 } } },
      ],
    });
}

/** Selects the pods that depend on a service. */
export const labelSelector = selectorOf('pod');
