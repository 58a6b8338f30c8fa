import { after, suite } from 'node:test';
import { createApiServer } from '../../src/demo/apiServer/apiServer.ts';
import { httpClient } from '../cluster/support/plane/http.ts';
import { forgetting } from '../conformance/forgetting.ts';
import { conformance } from '../conformance/suite.ts';
import type { Target } from '../conformance/target.ts';

const server = createApiServer({ authorizesImpersonated: true });
const listening = await server.listen();
const client = httpClient(listening.url);
const target: Target = { send: client.send, lines: client.lines };

after(async () => {
  await client.close();
  await listening.close();
});

suite('the embedded API server', { concurrency: true }, () => {
  conformance(async () => target);
});

suite('the embedded API server that forgets', () => {
  forgetting(
    async () => target,
    async () => server.store.compact(),
  );
});
