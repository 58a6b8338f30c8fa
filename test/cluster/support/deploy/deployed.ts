import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { bundle } from '../../../support/bundle.ts';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { create, remove } from '../manifests.ts';
import type { TestNamespace } from '../namespace.ts';
import type { Cluster } from '../plane/access.ts';
import { freePorts } from '../plane/ports.ts';
import { type StartOptions, superviseWeeder, temporaryFile, type WeederProcess } from '../weeder.ts';
import type { Manifest } from './kustomize.ts';
import { isAllowed, type Rule } from './rbac.ts';

const mountedAt = '/etc/weeder';

const Role = z.looseObject({
  rules: z.array(
    z.object({
      // A rule for paths, such as /metrics, has neither.
      apiGroups: z.array(z.string()).default([]),
      resources: z.array(z.string()).default([]),
      verbs: z.array(z.string()),
      resourceNames: z.array(z.string()).optional(),
    }),
  ),
});

const EnvVar = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({ fieldRef: z.object({ fieldPath: z.enum(['metadata.name', 'metadata.namespace', 'metadata.uid']) }) })
    .optional(),
});

/** The fields of a workload that the tests read. */
export const Workload = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    template: z.looseObject({
      metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      spec: z.looseObject({
        serviceAccountName: z.string(),
        containers: z.tuple([
          z.looseObject({
            image: z.string(),
            args: z.array(z.string()),
            env: z.array(EnvVar),
            resources: z.object({ limits: z.object({ memory: z.string() }) }),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
          }),
        ]),
      }),
    }),
  }),
});

/** The kinds that run pods. */
export const workloadKinds: readonly string[] = ['Deployment', 'StatefulSet'];

/** Returns the rules of a role, without those for paths such as /metrics. */
export function rulesOf(manifest: Manifest): Rule[] {
  if (manifest.kind !== 'ClusterRole' && manifest.kind !== 'Role') return [];
  return Role.parse(manifest).rules.filter(({ resources }) => resources.length > 0);
}

export function one(objects: readonly Manifest[], ...kinds: string[]): Manifest {
  const [object, ...more] = objects.filter(({ kind }) => kinds.includes(kind));
  if (object === undefined || more.length > 0) throw new Error(`not exactly one ${kinds.join(' or ')}`);
  return object;
}

const ConfigMap = z.object({ data: z.record(z.string(), z.string()) });

/** The files of the ConfigMap. */
export function dataOf(objects: readonly Manifest[]): Readonly<Record<string, string>> {
  return ConfigMap.parse(one(objects, 'ConfigMap')).data;
}

/** The same objects with this config. */
export function withConfig(objects: readonly Manifest[], config: object): readonly Manifest[] {
  const configMap = one(objects, 'ConfigMap');
  const data = { 'weeder.yaml': JSON.stringify(config) };
  return objects.map((object) => (object === configMap ? { ...object, data } : object));
}

/** Creates all objects except workloads, because no kubelet runs. Resolves when the permissions are effective. */
export async function createAll(t: Cleanup, cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) {
    if (workloadKinds.includes(object.kind)) continue;
    await create(cluster, object);
    cleanUp(t, () => remove(cluster, object).catch(() => {}));
  }
  const user = userOf(objects);
  for (const role of objects) {
    for (const { verb, group, resource, name } of permissions(rulesOf(role))) {
      const [main = '', subresource] = resource.split('/');
      const { namespace } = role.metadata;
      const place = { ...(namespace && { namespace }), ...(name && { name }), ...(subresource && { subresource }) };
      await eventually(() => isAllowed(cluster, user, { verb, group, resource: main, ...place }), {
        what: `${user} may ${verb} ${resource}`,
      });
    }
  }
}

/** Returns each permission of these rules. */
export function permissions(rules: readonly Rule[]) {
  return rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => resourceNames.map((name) => ({ verb, group, resource, name }))),
      ),
    ),
  );
}

function userOf(objects: readonly Manifest[]): string {
  const { name, namespace = '' } = one(objects, 'ServiceAccount').metadata;
  return `system:serviceaccount:${namespace}:${name}`;
}

/** A process as the kubelet starts it: the bundle, with the arguments and environment of the template, and a token. */
export interface DeployedWeeder extends WeederProcess {
  /** The local ports, by the names of the container's ports. */
  readonly ports: Readonly<Record<string, number>>;
}

/** Starts one replica of the workload. `flags` take precedence. */
export async function startDeployed(
  t: Cleanup,
  home: TestNamespace,
  objects: readonly Manifest[],
  { flags = [], expects }: Pick<StartOptions, 'flags' | 'expects'> = {},
): Promise<DeployedWeeder> {
  const { cluster } = home;
  const { spec } = Workload.parse(one(objects, ...workloadKinds)).spec.template;
  const [container] = spec.containers;
  const [healthPort = 0, metricsPort = 0] = await freePorts(2);
  const mounted = temporaryFile('mounted');
  mkdirSync(mounted);
  for (const [name, text] of Object.entries(dataOf(objects))) writeFileSync(join(mounted, name), text);
  const fields = { 'metadata.namespace': home.name, 'metadata.name': 'weeder-0', 'metadata.uid': 'uid-of-weeder-0' };
  const env = Object.fromEntries(
    container.env.map(({ name, value, valueFrom }) => [
      name,
      valueFrom === undefined ? (value ?? '') : fields[valueFrom.fieldRef.fieldPath],
    ]),
  );
  const args = container.args.map((arg) =>
    arg.replace(mountedAt, mounted).replace(/\$\((\w+)\)/g, (_whole, name: string) => env[name] ?? ''),
  );
  const token = await tokenOf(cluster, home.name, spec.serviceAccountName);
  const ours = [
    `--kubeconfig=${cluster.kubeconfigFor(spec.serviceAccountName, { token, namespace: home.name })}`,
    `--health-bind-addr=127.0.0.1:${healthPort}`,
    `--metrics-bind-addr=127.0.0.1:${metricsPort}`,
  ];
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const commandLine = [...variables, process.execPath, await bundle(), ...args, ...ours, ...flags];
  const weeder = superviseWeeder(t, 'env', commandLine, expects);
  return { ...weeder, ports: { health: healthPort, metrics: metricsPort } };
}

const TokenRequest = z.object({ status: z.object({ token: z.string() }) });

/** Requests a token of the ServiceAccount, as the kubelet does. */
async function tokenOf(cluster: Cluster, namespace: string, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  return TokenRequest.parse(await cluster.api('POST', path, { spec: { expirationSeconds: 3600 } })).status.token;
}
