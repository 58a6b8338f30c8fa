import { after, suite } from 'node:test';
import { httpClient } from '../cluster/support/plane/http.ts';
import { restartRequests } from '../support/objects/restartRequests.ts';
import { embedded } from '../support/world/embedded.ts';

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
