import { after, suite } from 'node:test';
import { httpClient } from '../../../test/cluster/support/plane/http.ts';
import { conformance } from '../conformance/suite.ts';
import type { Target } from '../conformance/target.ts';
import { forgetting } from '../conformance/watch/compaction.ts';
import { createApiServer } from '../src/apiserver/apiServer.ts';

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
