/**
 * Reads the hash key as a replica of weeder does, and prints its ID: `node readHashKey.ts KUBECONFIG NAMESPACE NAME`.
 * Waits for a line on its input first, so that several processes can read it at the same time.
 */
import { once } from 'node:events';
import { readHashKeys } from '../../../../src/restart/digest/hashKeys.ts';
import { kubeClientFor } from '../plane/kubeClient.ts';

const [kubeconfig = '', namespace = '', name = ''] = process.argv.slice(2);
const client = kubeClientFor(kubeconfig);
console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
const keys = await readHashKeys(client, { namespace, name }, new AbortController().signal);
console.log(keys.ok ? keys.value.current.id : keys.error.message);
await client.close();
