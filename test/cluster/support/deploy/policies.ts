import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { eventually } from '../eventually.ts';
import type { TestNamespace } from '../namespace.ts';
import { KubeObject } from '../objects.ts';
import { podTemplate } from '../restart/podTemplate.ts';

export interface DenialOptions {
  /** The labels of the protected pods. Default: all pods of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The reason of the refusal: `Forbidden` (403) or `Invalid` (422, the default). */
  readonly reason?: 'Forbidden' | 'Invalid';
}

/**
 * Refuses deletions of pods in the namespace with a ValidatingAdmissionPolicy. Resolves when it is effective, which
 * takes about a second.
 */
export async function denyPodDeletion(ns: TestNamespace, options: DenialOptions = {}) {
  const name = `deny-${ns.name}-${randomBytes(3).toString('hex')}`;
  const api = '/apis/admissionregistration.k8s.io/v1';
  const [policies, bindings] = [`${api}/validatingadmissionpolicies`, `${api}/validatingadmissionpolicybindings`];
  const reason = options.reason ?? 'Invalid';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] };
  // The final deletion of the probe, which is not a dry run, has to be admitted.
  const expression = `oldObject.metadata.name.startsWith('${probePrefix}') && request.dryRun != true`;
  await ns.cluster.api('POST', policies, {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: 'weeder test: pods here must not be deleted', reason }],
    },
  });
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': ns.name } };
  const objectSelector = options.labels ? { objectSelector: { matchLabels: options.labels } } : {};
  await ns.cluster.api('POST', bindings, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector, ...objectSelector } },
  });
  const drop = async (): Promise<void> => {
    await ns.cluster.send('DELETE', `${bindings}/${name}`);
    await ns.cluster.send('DELETE', `${policies}/${name}`);
  };
  ns.after(() => drop().catch(() => {}));
  await probe(
    ns,
    options,
    (status) => status === (reason === 'Forbidden' ? 403 : 422),
    'deletions of pods are refused',
  );
  return {
    /** Removes the policy, and resolves when deletions are admitted again. */
    remove: async () => {
      await drop();
      await probe(ns, options, (status) => status === 200, 'deletions of pods are admitted again');
    },
  };
}

const probePrefix = 'policy-probe-';

/** Deletes a separate pod in dry runs until it gets the expected answer, and then removes the pod. */
async function probe(
  ns: TestNamespace,
  { labels = {} }: DenialOptions,
  isExpected: (status: number) => boolean,
  what: string,
): Promise<void> {
  const name = `${probePrefix}${randomBytes(3).toString('hex')}`;
  const { metadata, spec } = podTemplate({ labels }, name);
  await ns.cluster.api('POST', ns.path('api/v1', 'pods'), { metadata: { ...metadata, name }, spec });
  const path = ns.path('api/v1', 'pods', name);
  await eventually(
    async (saw) => {
      const answer = await ns.cluster.send('DELETE', `${path}?dryRun=All`);
      saw(answer.body);
      return isExpected(answer.status);
    },
    { what },
  );
  await ns.cluster.api('DELETE', path);
}

const Budget = KubeObject.extend({
  status: z.looseObject({ observedGeneration: z.number(), disruptionsAllowed: z.number() }).optional(),
});

/** Creates a PodDisruptionBudget, and returns the allowed disruptions when its controller has observed the pods. */
export async function createBudget(
  ns: TestNamespace,
  name: string,
  spec: { labels: Readonly<Record<string, string>>; minAvailable?: number; maxUnavailable?: number },
): Promise<number> {
  const { labels, ...limits } = spec;
  const budgets = ns.path('apis/policy/v1', 'poddisruptionbudgets');
  await ns.cluster.api('POST', budgets, { metadata: { name }, spec: { selector: { matchLabels: labels }, ...limits } });
  return eventually(
    async (saw) => {
      const budget = Budget.parse(await ns.cluster.api('GET', `${budgets}/${name}`));
      saw(budget.status);
      const status = budget.status;
      return status !== undefined && status.observedGeneration > 0 && { allowed: status.disruptionsAllowed };
    },
    { what: `the disruption controller's view of budget ${name}` },
  ).then(({ allowed }) => allowed);
}

/** Deletes a PodDisruptionBudget. */
export async function deleteBudget(ns: TestNamespace, name: string): Promise<void> {
  await ns.cluster.api('DELETE', ns.path('apis/policy/v1', 'poddisruptionbudgets', name));
}
