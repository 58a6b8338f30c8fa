import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamStatus } from '@weeder/kube-runtime/watch';
import { codedError } from '../../src/base/errors.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { ConfigStatus } from '../../src/process/reload.ts';
import { createProcessView } from '../../src/ui/views/processView.ts';

function configOf(text: string) {
  const parsed = parseConfig(text, 'weeder.yaml');
  return parsed.ok ? parsed.value : assert.fail(parsed.error[0]?.message);
}

const applied: ConfigStatus = { generation: 1, appliedAt: 5, lastReload: 'applied' };
const up: StreamStatus = {
  name: 'pods app=web',
  resource: 'pods',
  state: 'watching',
  since: 0,
  isSynced: true,
  downFor: undefined,
  problem: undefined,
  isRefused: false,
  losses: 0,
  quietFor: 0,
  bytes: 0,
  objects: 3,
};
const about = { cluster: 'kind-shop', version: undefined, identity: 'weeder-1', namespaces: 'all namespaces' } as const;

test('files that mean the same have the same hash, and others have another one', () => {
  const view = createProcessView();
  const hashOf = (text: string) => view({ ...about, config: configOf(text), status: applied }, []).config.hash;
  assert.equal(hashOf('declaredDependencies: {}'), hashOf('# the same\ndeclaredDependencies: {  }\n'));
  assert.notEqual(hashOf('declaredDependencies: {}'), hashOf('observer: {}'));
});

test('of a rejected config the page has the first error', () => {
  const config = configOf('observer: {}');
  const rejectedBy = (message: string) => {
    const status: ConfigStatus = {
      ...applied,
      lastReload: 'rejected',
      rejected: codedError('CONFIG_INVALID', message),
    };
    return createProcessView()({ ...about, config, status }, []).config.rejected;
  };
  assert.equal(rejectedBy('weeder.yaml:1: unknown key "a".'), 'weeder.yaml:1: unknown key "a"');
  assert.equal(
    rejectedBy('The config has 2 errors:\n  weeder.yaml:1: one\n  weeder.yaml:2: two'),
    'weeder.yaml:1: one',
  );
  assert.equal(createProcessView()({ ...about, config, status: applied }, []).config.rejected, undefined);
});

test('a stream that is refused or down is shown, and not one that is up or whose kind may be missing', () => {
  const down = { ...up, downFor: 3_000, problem: 'ECONNREFUSED' };
  const refused = { ...down, name: 'secrets', problem: 'secrets is forbidden', isRefused: true };
  const missing = { ...down, name: 'applications', isMissing: true };
  const { streams } = createProcessView()({ ...about, config: configOf('observer: {}'), status: applied }, [
    up,
    down,
    refused,
    missing,
  ]);
  assert.deepEqual(streams, [
    { name: 'pods app=web', problem: 'ECONNREFUSED' },
    { name: 'secrets', problem: 'secrets is forbidden' },
  ]);
});
