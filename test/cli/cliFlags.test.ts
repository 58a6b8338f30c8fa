import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { Command } from 'commander';
import { readArguments } from '../../src/cli/flags/commandLine.ts';
import { addRunFlags, givenIgnoredFlags, ignoredFlags, type RunFlags } from '../../src/cli/flags/runFlags.ts';
import { electionOf, selectionOf } from '../../src/cli/run/fromFlags.ts';
import { config, kubeconfig, logOf, oneSentence, sharedCli, file as writeFile } from '../support/cli.ts';

/** The flags that `run` receives. */
function flagsOf(...given: string[]): RunFlags & Readonly<Record<string, unknown>> {
  const command = addRunFlags(new Command('run'))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  command.parse(readArguments(given).words.slice(1), { from: 'user' });
  return command.opts();
}

test('as with kubectl, a short flag takes its value after a space, after "=", or at once', () => {
  for (const args of [['-c', '/etc/a.yaml'], ['-c=/etc/a.yaml'], ['-c/etc/a.yaml']])
    assert.equal(flagsOf(...args)['configFile'], '/etc/a.yaml', args.join(' '));
  assert.deepEqual(readArguments(['status', '-n=shop', '-o=json']).words, ['status', '-nshop', '-ojson']);
  const others = ['check', '-', 'a=b', '-x=', '--output=json', '-n', 'a=b'];
  assert.deepEqual(readArguments(others).words, others);
});

/** Every supported flag of the Go original, with a value from its manifests. */
const original: readonly (readonly [flag: string, value: string, key: keyof RunFlags, meaning: unknown])[] = [
  ['config-file', '/etc/dep-config.yaml', 'configFile', '/etc/dep-config.yaml'],
  ['kubeconfig', '/etc/kubeconfig', 'kubeconfig', '/etc/kubeconfig'],
  ['kube-api-qps', '20.5', 'kubeApiQps', 20.5],
  ['kube-api-burst', '30', 'kubeApiBurst', 30],
  ['health-bind-addr', ':9645', 'healthBindAddr', { host: undefined, port: 9645 }],
  ['metrics-bind-addr', ':9646', 'metricsBindAddr', { host: undefined, port: 9646 }],
  ['leader-election-namespace', 'kube-system', 'leaderElectionNamespace', 'kube-system'],
  ['leader-elect-lease-duration', '1m', 'leaderElectLeaseDuration', 60_000],
  ['leader-elect-renew-deadline', '40s', 'leaderElectRenewDeadline', 40_000],
  ['leader-elect-retry-period', '500ms', 'leaderElectRetryPeriod', 500],
  ['zap-log-level', 'INFO', 'zapLogLevel', 'info'],
];

test('each flag of the original is accepted as --flag value, --flag=value, -flag value and -flag=value', () => {
  for (const [flag, value, key, meaning] of original) {
    for (const args of [[`--${flag}`, value], [`--${flag}=${value}`], [`-${flag}`, value], [`-${flag}=${value}`]]) {
      assert.deepEqual(flagsOf(...args)[key], meaning, args.join(' '));
      assert.deepEqual(flagsOf('weeder', ...args)[key], meaning, `weeder ${args.join(' ')}`);
    }
  }
});

test('a boolean is written as in Go: bare, or with a value behind "="', () => {
  for (const flag of ['dry-run', 'enable-leader-election']) {
    const key = flag === 'dry-run' ? 'dryRun' : 'enableLeaderElection';
    assert.equal(flagsOf()[key], false);
    assert.equal(flagsOf(`--${flag}`)[key], true);
    assert.equal(flagsOf(`-${flag}`)[key], true);
    for (const yes of ['1', 't', 'T', 'true', 'TRUE', 'True']) assert.equal(flagsOf(`--${flag}=${yes}`)[key], true);
    for (const no of ['0', 'f', 'F', 'false', 'FALSE', 'False']) assert.equal(flagsOf(`--${flag}=${no}`)[key], false);
  }
  const both = flagsOf('--dry-run', '--config-file', 'a.yaml');
  assert.deepEqual([both.dryRun, both.configFile], [true, 'a.yaml']);
});

test('weeder sends Events unless they are turned off', () => {
  assert.deepEqual([flagsOf().events, flagsOf('--events').events], [true, true]);
  for (const no of ['false', '0', 'F']) assert.equal(flagsOf(`--events=${no}`).events, false);
});

test('a duration is written as in Go', () => {
  const expected = { '300ms': 300, '1m30s': 90_000, '1.5h': 5_400_000, '0': 0 };
  for (const [text, milliseconds] of Object.entries(expected)) {
    assert.equal(flagsOf(`--api-server-timeout=${text}`).apiServerTimeout, milliseconds);
  }
  assert.throws(() => flagsOf('--api-server-timeout=-1s'), /found "-1s", expected a duration that is not negative/);
});

test('a size is written as in Kubernetes', () => {
  const expected = {
    '64Ki': 65_536,
    '64Mi': 67_108_864,
    '1Gi': 1_073_741_824,
    '100k': 100_000,
    '2M': 2e6,
    '1000000': 1e6,
  };
  for (const [text, bytes] of Object.entries(expected))
    assert.equal(flagsOf(`--record-limit=${text}`).recordLimit, bytes);
  assert.deepEqual([flagsOf().recordLimit, flagsOf().recordFiles], [67_108_864, 1]);
  assert.equal(flagsOf('--record-files', '3').recordFiles, 3);
  for (const wrong of ['64', '1Ki', '64MB', '-1Mi', '1.5Gi', '2000Gi', 'Mi', '']) {
    const sentence = new RegExp(`found "${wrong}", expected a size from 64Ki to 1024Gi, such as 64Mi`);
    assert.throws(() => flagsOf(`--record-limit=${wrong}`), sentence);
  }
  for (const wrong of ['0', '101', 'x', '1.5', '-1']) {
    assert.throws(() => flagsOf(`--record-files=${wrong}`), /expected a whole number from 1 to 100/);
  }
});

test('a log level is accepted in any case, with the names and the numbers of zap', () => {
  const expected = {
    Info: 'info',
    DEBUG: 'debug',
    warn: 'warn',
    Error: 'error',
    panic: 'error',
    5: 'debug',
    0: 'info',
  };
  for (const [text, level] of Object.entries(expected)) {
    assert.equal(flagsOf(`--zap-log-level=${text}`).zapLogLevel, level);
    assert.equal(flagsOf(`--log-level=${text}`).logLevel, level);
  }
  assert.equal(flagsOf().logLevel, 'info');
});

test('a shard is one of several, counted from 0', () => {
  assert.deepEqual(flagsOf('--shard=2/3').shard, { index: 2, count: 3 });
  assert.equal(flagsOf().shard, undefined);
  assert.throws(() => flagsOf('--shard=3/3'), /found "3\/3", but of 3 the last is 2/);
  assert.throws(() => flagsOf('--shard=three'), /found "three", expected i\/n/);
});

test('namespaces are separated by commas, or given one by one', () => {
  assert.deepEqual(flagsOf('--namespaces=a,b', '--namespaces', 'b, c').namespaces, ['a', 'b', 'c']);
  assert.equal(flagsOf().namespaces, undefined);
});

test('namespaces are selected by labels, or left out by name', () => {
  const { namespaceSelector, exceptNamespaces } = flagsOf('--namespace-selector=team=shop', '--except-namespaces=a,b');
  assert.deepEqual(namespaceSelector, { matchExpressions: [{ key: 'team', operator: 'In', values: ['shop'] }] });
  assert.deepEqual(exceptNamespaces, ['a', 'b']);
  assert.throws(
    () => flagsOf('--namespace-selector=team in shop'),
    /found "team in shop", expected conditions on labels/,
  );
  assert.throws(() => flagsOf('--except-namespaces=A'), /found "A", which is not the name of a namespace/);
});

test('a selection of namespaces excludes a list of those to watch', () => {
  assert.deepEqual(selectionOf(flagsOf()), { ok: true, value: undefined });
  const selected = selectionOf(flagsOf('--except-namespaces=kube-system'));
  assert.deepEqual(selected, { ok: true, value: { selector: undefined, except: ['kube-system'] } });
  for (const flag of ['--namespace-selector', '--except-namespaces']) {
    const both = selectionOf(flagsOf(`${flag}=a`, '--namespaces=b'));
    const message = `The flag ${flag} selects from all namespaces: leave out --namespaces, or ${flag}.`;
    assert.equal(!both.ok && both.error.message, message);
  }
});

test('an address may have a host, in brackets if it is IPv6, and 0 means none', () => {
  const address = (text: string) => flagsOf(`--health-bind-addr=${text}`).healthBindAddr;
  assert.deepEqual(address('127.0.0.1:9644'), { host: '127.0.0.1', port: 9644 });
  assert.deepEqual(address('[::1]:9644'), { host: '::1', port: 9644 });
  assert.deepEqual(flagsOf().healthBindAddr, { host: undefined, port: 9644 });
  assert.equal(address('0'), 'none');
  assert.equal(address(''), 'none');
  for (const wrong of ['9644', 'localhost', ':70000', '::1:9644', ':-1'])
    assert.throws(() => address(wrong), /expected an address/);
});

test('the last of several values wins', () => {
  assert.equal(flagsOf('--config-file=a', '--config-file=b').configFile, 'b');
});

test('an ignored flag is accepted in every form, and is known by name', () => {
  for (const flag of ignoredFlags) {
    for (const args of [[`--${flag}=x`], [`-${flag}=x`]]) {
      assert.deepEqual(givenIgnoredFlags(flagsOf(...args)), [`--${flag}`]);
    }
  }
  assert.deepEqual(givenIgnoredFlags(flagsOf('--zap-devel', '--concurrent-reconciles', '5')), [
    '--concurrent-reconciles',
    '--zap-devel',
  ]);
  assert.deepEqual(givenIgnoredFlags(flagsOf('--config-file=x')), []);
});

test('by default, leader election has the Lease, the namespace and the times of the original', () => {
  const election = electionOf(flagsOf('--enable-leader-election'));
  assert(election.ok && election.value !== undefined);
  const { identity, ...rest } = election.value;
  assert.deepEqual(rest, {
    namespace: 'garden',
    name: 'dwd-weeder-leader-election',
    leaseDuration: 15_000,
    renewDeadline: 10_000,
    retryPeriod: 2_000,
  });
  assert.ok(identity.startsWith(`${hostname()}_`));
  const sharded = electionOf(flagsOf('--enable-leader-election', '--shard=1/3'));
  assert.equal(sharded.ok && sharded.value?.name, 'dwd-weeder-leader-election-1-of-3');
  assert.deepEqual(electionOf(flagsOf()), { ok: true, value: undefined });
});

test('contradictory times of leader election are refused in one sentence', async () => {
  const wrong = [
    ['--leader-elect-lease-duration=10s'],
    ['--leader-elect-renew-deadline=15s'],
    ['--leader-elect-retry-period=8400ms'],
    ['--leader-elect-retry-period=0'],
    ['--leader-elect-lease-duration=25h'],
  ];
  for (const args of wrong)
    assert.equal(electionOf(flagsOf('--enable-leader-election', ...args)).ok, false, args.join());
  assert.ok(electionOf(flagsOf('--enable-leader-election', '--leader-elect-retry-period=8300ms')).ok);
  assert.ok(
    electionOf(flagsOf('--leader-elect-retry-period=1h')).ok,
    'without leader election the times are not checked',
  );
  const ended = await sharedCli([
    'run',
    `--config-file=${config}`,
    '--enable-leader-election',
    '--leader-elect-retry-period=9s',
  ]);
  assert.equal(
    oneSentence(ended, 2),
    'The flag --leader-elect-lease-duration (15s) has to be longer than --leader-elect-renew-deadline (10s), that longer than 1.2 times --leader-elect-retry-period (9s), and all between 0 and 24h. See `weeder --help` for the verbs, and `weeder VERB --help` for flags.',
  );
});

test('the command line of the original’s manifests is accepted, and one line names the ignored flags', async () => {
  const manifest = [
    'weeder',
    `--config-file=${config}`,
    `--kubeconfig=${writeFile('nowhere.kubeconfig', kubeconfig('http://127.0.0.1:9'))}`,
    '--kube-api-qps=20.0',
    '--kube-api-burst=30',
    '--concurrent-reconciles=5',
    '--zap-log-level=INFO',
    '--enable-leader-election=false',
    '--leader-election-namespace=garden',
    '--leader-elect-lease-duration=15s',
    '--metrics-bind-addr=0',
    '--health-bind-addr=0',
    '--api-server-timeout=10ms',
  ];
  const ended = await sharedCli(manifest);
  const named = logOf(ended).filter(({ msg }) => msg === 'ignoring unsupported flags');
  assert.deepEqual(
    named.map(({ level, flags }) => ({ level, flags })),
    [
      {
        level: 'info',
        flags: ['--concurrent-reconciles'],
      },
    ],
  );
});
