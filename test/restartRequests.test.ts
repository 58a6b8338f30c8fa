import { after, suite } from 'node:test';
import { httpClient } from './cluster/support/http.ts';
import { embedded } from './support/embedded.ts';
import { restartRequests } from './support/restartRequests.ts';

const cluster = await embedded();
const { send, lines, close } = httpClient(cluster.url);
const client = cluster.client();

after(async () => {
  await close();
  await cluster[Symbol.asyncDispose]();
});

suite('restart control’s requests to the embedded API server', () => {
  restartRequests(async () => ({ target: { send, lines }, client }));
});
