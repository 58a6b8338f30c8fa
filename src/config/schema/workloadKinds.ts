import { isObject } from '@weeder/kube-runtime/base';
import { bareKind, isWorkloadKind, workloadKindNames } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import { quoted } from '../../base/fieldError.ts';
import { nearest } from '../../base/nearest.ts';
import { optional, whenMissing, withDefault } from './selectorSchema.ts';

/** A kind with its group, as kubectl accepts it. */
const kindWithGroup = /^[A-Z][A-Za-z0-9]{0,62}\.[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

const unknownKind = {
  error({ input }: { readonly input?: unknown }) {
    const meant = typeof input === 'string' ? nearest(input, workloadKindNames) : undefined;
    const hint = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
    return `found ${quoted(String(input))}, allowed are ${workloadKindNames.join(', ')} and those of workloadKinds${hint}`;
  },
};

/** The kinds of a rule: those of Kubernetes, and those that `workloadKinds` names. */
export const kindsOfRule = z
  .array(z.union([z.enum(workloadKindNames), z.string().regex(kindWithGroup, unknownKind)], unknownKind))
  .min(1, { error: 'this list is empty; name a kind, or leave out the key' });

const otherKindName = z
  .string(whenMissing('missing; name the kind with its group, such as Rollout.argoproj.io'))
  .refine((kind) => kindWithGroup.test(kind), {
    error: ({ input }) => `found ${quoted(String(input))}; a kind is named with its group, such as Rollout.argoproj.io`,
    abort: true,
  })
  .refine((kind) => !isOfKubernetes(kind), {
    error: ({ input }) =>
      `found ${quoted(String(input))}, a kind of Kubernetes, which is managed without being named here`,
  });

function pathIn(root: 'spec' | 'status') {
  const path = new RegExp(`^${root}(?:\\.[A-Za-z][A-Za-z0-9]*)+$`);
  return z.string().regex(path, {
    error: ({ input }) =>
      `found ${quoted(String(input))}; the path of a field is written like ${root}.${examples[root]}`,
  });
}

const examples = { spec: 'template', status: 'restartedAt' };

const otherKind = z
  .strictObject({
    kind: otherKindName.describe(
      'The kind with its group, such as `Rollout.argoproj.io`. weeder finds out its version.',
    ),
    templatePath: optional(pathIn('spec')).describe('Where the pod template is. Without it, `spec.template`.'),
    restartBy: optional(z.enum(['template', 'time'])).describe(
      'How a restart is requested: `template` by an annotation of the pod template, `time` by a time in a field. Without it, `time` for `Rollout.argoproj.io`, whose canary steps a new template would begin, and otherwise `template`.',
    ),
    restartField: optional(pathIn('spec')).describe('The field for that time. Without it, `spec.restartAt`.'),
    restartedField: optional(pathIn('status')).describe(
      'The field that repeats the time when all pods were replaced. Without it, `status.restartedAt`.',
    ),
  })
  .describe('A kind of workload of another group.');

/** The key `workloadKinds`. */
export const workloadKinds = withDefault(z.array(otherKind), []).describe(
  'Kinds of workload beside those of Kubernetes, such as `Rollout.argoproj.io` and `CloneSet.apps.kruise.io`.',
);

interface KindIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The kinds that are named twice, and those of rules that `workloadKinds` does not name. */
export function kindIssues(
  named: unknown,
  rules: readonly (readonly [number, unknown])[],
  pathOfRules: readonly string[],
): readonly KindIssue[] {
  const names = listOf(named).map((entry) => (isObject(entry) ? entry['kind'] : undefined));
  const twice = names.flatMap((name, index) =>
    name === undefined || names.indexOf(name) === index
      ? []
      : [{ path: ['workloadKinds', index, 'kind'], message: `found ${quoted(String(name))} for the second time` }],
  );
  const unnamed = rules.flatMap(([index, rule]) =>
    listOf(isObject(rule) ? rule['kinds'] : undefined).flatMap((kind, place): KindIssue[] =>
      typeof kind !== 'string' || !kindWithGroup.test(kind) || names.includes(kind)
        ? []
        : [
            {
              path: [...pathOfRules, index, 'kinds', place],
              message: `found ${quoted(kind)}, which restartControl.workloadKinds does not name`,
            },
          ],
    ),
  );
  return [...twice, ...unnamed];
}

function isOfKubernetes(kind: string): boolean {
  return isWorkloadKind(bareKind(kind)) && /\.(?:apps|batch)$/.test(kind) && kind.split('.').length === 2;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
