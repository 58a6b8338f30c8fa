import { after, suite } from 'node:test';
import { conformance } from '../conformance/suite.ts';
import type { Target } from '../conformance/target.ts';
import { testCompaction } from '../conformance/watch/compaction.ts';
import { createApiServer } from '../src/apiserver/apiServer.ts';
import { createClient } from '../src/client.ts';

const server = createApiServer({ authorizesImpersonated: true });
const listening = await server.listen();
const client = createClient(listening.url);
const target: Target = { send: client.send, lines: client.lines };

after(async () => {
  await listening.close();
});

suite('the embedded API server', { concurrency: true }, () => {
  conformance(async () => target);
});

suite('the embedded API server with compaction', () => {
  testCompaction(
    async () => target,
    async () => server.store.compact(),
  );
});
