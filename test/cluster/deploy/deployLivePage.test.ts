import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaseName } from '@weeder/kube-runtime/lease';
import { z } from 'zod';
import { openPage } from '../../support/page/openPage.ts';
import { createAll, startDeployed } from '../support/deploy/deployed.ts';
import { deployFolder } from '../support/deploy/kustomize.ts';
import { customised } from '../support/deploy/overlays.ts';
import { testNamespace } from '../support/namespace.ts';
import { freePorts } from '../support/plane/ports.ts';

const Lease = z.object({ spec: z.object({ holderIdentity: z.string() }) });
const documented = readFileSync(join(deployFolder, '../docs/how-to/live-page.md'), 'utf8');

test('the documented line finds the pod of the leader, whose page says that it leads', async (t) => {
  const home = await testNamespace(t, 'live-page');
  // The suffix makes the names of the cluster roles unique.
  const lines = [`nameSuffix: -${home.name}`];
  const objects = await customised('highly-available', { namespace: home.name, components: ['live-page'], lines });
  await createAll(t, home.cluster, objects);
  const [port] = await freePorts(1);
  const weeder = await startDeployed(t, home, objects, { flags: [`--ui-bind-addr=127.0.0.1:${port}`] });
  await weeder.ready();
  await using page = await openPage(`http://127.0.0.1:${port}/`);
  const { holder } = await page.received('leadership', ({ state }) => state === 'leading');

  const line = documented.split('\n').find((each) => each.includes('holderIdentity')) ?? '';
  const [, lease = '', separator = ''] =
    /get lease -n weeder (\S+) -o jsonpath='\{\.spec\.holderIdentity\}' \| cut -d(.) -f1/.exec(line) ?? [];
  assert.equal(lease, leaseName());
  const path = home.path('apis/coordination.k8s.io/v1', 'leases');
  const { holderIdentity } = Lease.parse(await home.cluster.api('GET', `${path}/${lease}`)).spec;
  assert.equal(holderIdentity, holder);
  // The host name of a pod is its name.
  assert.equal(holderIdentity.split(separator)[0], hostname());
});
