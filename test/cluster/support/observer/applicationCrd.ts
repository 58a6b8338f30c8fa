import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { deployFolder } from '../deploy/kustomize.ts';
import { eventually } from '../eventually.ts';
import type { Cluster } from '../plane/access.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const Definition = z.looseObject({
  status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).optional() }),
});

/** The manifest of the CRD, as it is deployed. */
export function applicationCrd(): unknown {
  return parseDocument(readFileSync(join(deployFolder, 'components', 'observer-named', 'crd.yaml'), 'utf8')).toJS();
}

/** Installs the CRD of Applications, unless another test has; resolves when they can be created. */
export async function installApplications(cluster: Cluster): Promise<void> {
  const answer = await cluster.send('POST', path, { body: applicationCrd() });
  if (answer.status !== 201 && answer.status !== 409)
    throw new Error(`the CRD was refused: ${JSON.stringify(answer.body)}`);
  await eventually(
    async () => {
      const { status } = Definition.parse(await cluster.api('GET', `${path}/applications.weeder.dev`));
      const isEstablished = status.conditions?.some((each) => each.type === 'Established' && each.status === 'True');
      // It is served a moment after it is established.
      return isEstablished && (await cluster.send('GET', '/apis/weeder.dev/v1alpha1/applications')).status === 200;
    },
    { what: 'that Applications are served' },
  );
}
