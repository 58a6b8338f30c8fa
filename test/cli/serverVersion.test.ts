import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResult } from '@weeder/kube-runtime/client';
import { serverVersion } from '../../src/cli/serverVersion.ts';

test('the version of the API server is what it says of itself, or unknown if it cannot be read', async () => {
  const versionFrom = (result: ApiResult) => serverVersion({ call: async () => result });
  assert.equal(await versionFrom({ ok: true, status: 200, body: { gitVersion: 'v1.36.3' } }), 'v1.36.3');
  for (const body of [undefined, 'welcome', { gitVersion: 1 }])
    assert.equal(await versionFrom({ ok: true, status: 200, body }), undefined);
  const forbidden = { type: 'forbidden', message: 'forbidden: User "weeder" cannot get path "/version"' } as const;
  assert.equal(await versionFrom({ ok: false, failure: forbidden }), undefined);
});
