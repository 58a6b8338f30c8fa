import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { mergeDependencies } from '../../src/dependencies/dependency.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { suggestDependencies } from '../../src/suggest/suggestDependencies.ts';
import { suggestionConfig } from '../../src/suggest/suggestionConfig.ts';
import { suggestionLabels } from '../../src/suggest/suggestionLabels.ts';
import { findHosts } from '../../src/suggest/text/hosts.ts';
import { configMap, service, suggested, workload } from '../suggest/support.ts';
import { edited, valueEdit } from '../support/fuzz.ts';

const port = 5432;
const postgres = service('postgres', { ports: [port] });
const container = { envFrom: [{ configMapRef: { name: 'settings' } }] };
const url = fc.record({
  scheme: fc.constantFrom('postgres', 'http', 'jdbc:postgresql', 'amqp+tls'),
  user: fc.option(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[A-Z0-9]{8,12}$/))),
  host: fc.constantFrom('postgres', 'postgres.shop', 'postgres.shop.svc', 'postgres.shop.svc.cluster.local'),
  path: fc.stringMatching(/^(\/[a-z]{0,8}(\?[a-z]{1,4}=[a-z0-9]{1,8})?)?$/),
});

test('a URL of a Service with its port is found wherever it stands, and its password is not in the output', () => {
  const around = fc.constantFrom(['', ''], ['"', '"'], ['url = ', ';'], ['a,', ',b'], ['(', ')'], ['--db=', '']);
  fc.assert(
    fc.property(url, around, ({ scheme, user, host, path }, [before, after]) => {
      const login = user === null ? '' : `${user[0]}:${user[1]}@`;
      const value = `${before}${scheme}://${login}${host}:${port}${path}${after}`;
      const dependencies = suggested([postgres, workload('app', { container: { env: [{ name: 'X', value }] } })]);
      assert.deepEqual(
        dependencies.map(({ confidence, evidence }) => [confidence, evidence[0]?.found]),
        [['high', `${host}:${port}`]],
      );
      if (user !== null) assert.ok(!JSON.stringify(dependencies).includes(user[1]));
    }),
    propertyRuns(500),
  );
});

test('any text is searched without an exception, and each host is a part of the text', () => {
  const texts = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('://', '@', ':5432', ',', 'postgres', '.', '$(', ')', 'svc')),
  );
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      for (const { host } of findHosts(text, () => true))
        assert.ok(text.toLowerCase().includes(host), `${host} of ${text}`);
    }),
    propertyRuns(1_000),
  );
});

test('a long text is searched in linear time: with quadratic time, the test would not end', () => {
  const size = 300_000;
  for (const piece of [
    'a.',
    'a',
    '.',
    '-',
    'a-',
    'web ',
    '://',
    'http://a,',
    '$(',
    '@a:1,',
    'a@',
    '- x: "b"\n',
    '$A_SERVICE_',
    'hosts:\n- a\n',
    ' ',
    '\n',
  ]) {
    findHosts(piece.repeat(size / piece.length), (host) => host === 'web');
    findHosts(`${piece.repeat(size / piece.length)} web`, (host) => host === 'web');
  }
  findHosts(`${' '.repeat(size)}${'web '.repeat(size / 10)}`, (host) => host === 'web');
  findHosts(`http://${'a,'.repeat(size / 2)}`, (host) => host === 'web');
  const text = 'postgres '.repeat(size / 10);
  const [dependency] = suggested([postgres, configMap('settings', { text }), workload('app', { container })]);
  assert.equal(dependency?.confidence, 'low');
});

test('a text that names a hundred thousand hosts in one URL is searched, and variables of variables stay small', () => {
  const settings = configMap('settings', {
    text: `http://${'a,'.repeat(450_000)}`,
    db: `x://${'postgres,'.repeat(100_000)}`,
  });
  const [dependency] = suggested([postgres, settings, workload('app', { container })]);
  assert.equal(dependency?.evidence.length, 1);
  const env = Array.from({ length: 60 }, (_, index) => ({
    name: `V${index}`,
    value: index === 0 ? 'postgres:5432 ' : `$(V${index - 1})`.repeat(4),
  }));
  assert.equal(suggested([postgres, workload('app', { container: { env } })])[0]?.confidence, 'high');
});

test('a ConfigMap is searched once for all workloads that use it', () => {
  const settings = configMap('settings', { text: 'web postgres '.repeat(50_000) });
  const workloads = Array.from({ length: 1_000 }, (_, index) => workload(`app-${index}`, { container }));
  assert.equal(suggested([postgres, settings, ...workloads]).length, workloads.length);
});

test('objects with any change are searched without an exception, and the commands stay one line each', () => {
  const settings = configMap('settings', { DB: 'postgres:5432' });
  const app = workload('app', { container: { ...container, args: ['x'] } });
  fc.assert(
    fc.property(fc.array(valueEdit, { minLength: 1, maxLength: 3 }), (edits) => {
      const observed = readObjects([postgres, settings, app].map((object) => objectOf(edited(object, edits))));
      const dependencies = mergeDependencies(suggestDependencies(observed, undefined));
      for (const line of [...suggestionLabels(dependencies, observed), ...suggestionConfig(dependencies, observed)])
        assert.ok(!/[\n']/.test(line.replace(/^kubectl .* -p '[^']*'$/, '')), line);
    }),
    propertyRuns(500),
  );
});
