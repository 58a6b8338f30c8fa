import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectOf } from '@weeder/kube-runtime/base';
import packageJson from '../../package.json' with { type: 'json' };
import { archiveOf } from './archives.ts';
import type { Reader } from './reader.ts';

export const livePage = 'docs/how-to/live-page.md';

/** The commands of the page that open it, without their comments. */
function forwards(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', livePage), 'utf8');
  return [...text.matchAll(/^(kubectl port-forward .*?) +#/gm)].map(([, command = '']) => command);
}

/** What `path` of the live page answers while the command runs. */
function through(reader: Reader, command: string, path: string): Promise<string> {
  // Each attempt before the port is open is an error that curl prints.
  const ask = `curl --silent --show-error --fail --retry 60 --retry-delay 1 --retry-connrefused http://localhost:9645${path} 2>curl.log || { cat curl.log; false; }`;
  return reader.run(`${command} >forward.log & forward=$!; trap 'kill $forward' EXIT; ${ask}`);
}

/** Two replicas by the chart with `livePage`: every command of the page leads to it. */
export async function openLivePage(reader: Reader): Promise<void> {
  await reader.createCluster();
  await reader.loadArchive(reader.archive(archiveOf(packageJson.version)));
  const values = '--set livePage=true --set mode=highlyAvailable';
  await reader.run(`helm install weeder deploy/chart --namespace weeder --create-namespace ${values}`);
  await reader.run('kubectl rollout status -n weeder deployment/weeder');
  await reader.run('kubectl wait -n weeder lease/dwd-weeder-leader-election --for=jsonpath={.spec.holderIdentity}');
  const commands = forwards();
  assert.equal(commands.length, 2);
  for (const command of commands) assert.match(await through(reader, command, '/'), /<title>[^<]*weeder/i);
  const [, ofLeader = ''] = commands;
  const overview = await through(reader, ofLeader, '/overview');
  assert.deepEqual(objectOf(JSON.parse(overview))['problems'], []);
}
