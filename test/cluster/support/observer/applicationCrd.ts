import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { deployFolder } from '../deploy/kustomize.ts';
import { eventually } from '../eventually.ts';
import type { Cluster } from '../plane/access.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const Definition = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    group: z.string(),
    names: z.looseObject({ plural: z.string() }),
    versions: z.array(z.looseObject({ name: z.string(), served: z.boolean() })),
  }),
  status: z
    .looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).optional() })
    .optional(),
});

/** The manifest of the CRD, as it is deployed. */
export function applicationCrd(): unknown {
  return parseDocument(readFileSync(join(deployFolder, 'components', 'observer-named', 'crd.yaml'), 'utf8')).toJS();
}

/** Installs the CRD of Applications, unless another test has; resolves when they can be created. */
export function installApplications(cluster: Cluster): Promise<void> {
  return installCrd(cluster, applicationCrd());
}

/** Installs a CRD, unless it is installed already; resolves when each of its versions is served. */
export async function installCrd(cluster: Cluster, manifest: unknown): Promise<void> {
  const { metadata, spec } = Definition.parse(manifest);
  const answer = await cluster.send('POST', path, { body: manifest });
  if (answer.status !== 201 && answer.status !== 409)
    throw new Error(`the CRD was refused: ${JSON.stringify(answer.body)}`);
  const served = spec.versions.filter((version) => version.served);
  await eventually(
    async () => {
      const { status } = Definition.parse(await cluster.api('GET', `${path}/${metadata.name}`));
      if (!status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True')) return false;
      // It is served a moment after it is established.
      const lists = served.map(({ name }) => cluster.send('GET', `/apis/${spec.group}/${name}/${spec.names.plural}`));
      return (await Promise.all(lists)).every((list) => list.status === 200);
    },
    { what: `that ${metadata.name} are served` },
  );
}
