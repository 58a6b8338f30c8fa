import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { codedError } from '../../src/base/errors.ts';
import { readArguments, usageProblem } from '../../src/cli/flags/commandLine.ts';
import { examples } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import { cli, oneSentence, sharedCli } from '../support/cli.ts';

const see = 'See `weeder --help` for the verbs, and `weeder VERB --help` for flags.';

type Case = readonly [command: string, sentence: string];

/** Checked with the program. */
const wrong: readonly Case[] = [
  ['--config-fil x', 'There is no flag --config-fil; did you mean --config-file?'],
  ['rum --config-file x', 'There is no verb "rum"; did you mean run?'],
  ['frobnicate', 'There is no verb "frobnicate".'],
  ['help explan', 'There is no verb "explan"; did you mean explain?'],
  ['weeder', 'weeder run needs --config-file FILE.'],
  ['--config-file=', 'weeder run needs --config-file FILE.'],
  ['explain', 'weeder explain needs --config-file FILE.'],
  [
    'explain x.yaml',
    'weeder explain does not accept the argument x.yaml: give application, pod, service, workload and a name, or the config with --config-file.',
  ],
  ['explain pods web-0', 'weeder explain does not accept the argument pods; did you mean pod?'],
  ['explain application', 'weeder explain application needs NAME.'],
  ['explain pod', 'weeder explain pod needs NAME.'],
  ['replay x --config y', 'There is no flag --config; did you mean --config-file?'],
  ['suggest --namespaces=shop', 'There is no flag --namespaces; did you mean --namespace?'],
  ['completion zhs', 'weeder completion does not accept the argument zhs; did you mean zsh?'],
  ['completion tcl', 'weeder completion does not accept the argument tcl: give bash, zsh, fish, powershell.'],
  ['explain pod web-0 -A', 'One namespace is read: give it with -n.'],
  ['explain pod web-0 -n a,b', 'One namespace is read: give it with -n.'],
  ['version --as-group admins', 'The flag --as-group needs --as.'],
  ['demo --speed 0', 'The flag --speed: found "0", expected a number from 1 to 50.'],
  ['demo now', 'There is no demo "now": it shows outage, restart or observer.'],
  ['demo restarts', 'There is no demo "restarts"; did you mean restart?'],
  ['demo restart --outage 1m', 'The flag --outage is for the outage: weeder demo restart does not have it.'],
  ['demo observe', 'There is no demo "observe"; did you mean observer?'],
  ['demo observer --replicas 3', 'The flag --replicas is for the outage: weeder demo observer does not have it.'],
  ['demo --kubeconfig x', 'There is no flag --kubeconfig.'],
  ['--kube-api-qps=-1', 'The flag --kube-api-qps: found "-1", expected a number from 0 on.'],
];

/** Checked in this process, which is faster. */
const alsoWrong: readonly Case[] = [
  ['--config-fil=x', 'There is no flag --config-fil; did you mean --config-file?'],
  ['-config-fil=x', 'There is no flag --config-fil; did you mean --config-file?'],
  ['--nothing-like-it', 'There is no flag --nothing-like-it.'],
  ['-x', 'There is no flag -x.'],
  ['explain --dry-run', 'There is no flag --dry-run.'],
  ['check --kubeconfig x', 'There is no flag --kubeconfig.'],
  ['check --config-file x', 'There is no flag --config-file; give the file as an argument: weeder check FILE.'],
  ['explain application a b', 'weeder explain accepts fewer arguments than application, a, b.'],
  ['explain application a -n A', 'The flag --namespace: found "A", which is not the name of a namespace.'],
  ['demo restart now', 'weeder demo accepts fewer arguments than restart, now.'],
  ['demo --speed=fast', 'The flag --speed: found "fast", expected a number from 1 to 50.'],
  ['demo --replicas 0', 'The flag --replicas: found "0", expected a whole number from 1 to 50.'],
  ['demo --seed=-1', 'The flag --seed: found "-1", expected a whole number from 0 to 1000000000.'],
  ['demo --outage 5s', 'The flag --outage: found "5s", expected a duration from 15s to 1h.'],
  ['demo --kubelet 1.35', 'The flag --kubelet: found "1.35", allowed are 1.34 and 1.36.'],
  ['check', 'weeder check needs FILE.'],
  ['run --config-file a.yaml b', 'weeder run does not accept the argument b.'],
  ['--config-file', 'The flag --config-file needs a value.'],
  ['--kubeconfig', 'The flag --kubeconfig needs a value.'],
  ['--kube-api-burst many', 'The flag --kube-api-burst: found "many", expected a number from 0 on.'],
  ['--concurrent-deletions 0', 'The flag --concurrent-deletions: found "0", expected a whole number from 1 to 10000.'],
  ['--zap-log-level=loud', 'The flag --zap-log-level: found "loud", allowed are debug, info, warn, error.'],
  ['--debug-actors=some', 'The flag --debug-actors: Allowed choices are loopback, all, none.'],
  ['--dry-run=maybe', 'The flag --dry-run: found "maybe", expected true or false.'],
  [
    '--dry-run false --config-file x',
    'weeder run does not accept the argument false; give the value of a boolean flag after "=", as in --dry-run=false.',
  ],
  ['--namespaces=A', 'The flag --namespaces: found "A", which is not the name of a namespace.'],
  [
    '--health-bind-addr=localhost',
    'The flag --health-bind-addr: found "localhost", expected an address such as :9644 or 127.0.0.1:9644.',
  ],
  [
    '--api-server-timeout=5',
    'The flag --api-server-timeout: found "5", which has no unit; a duration is written like 300ms, 1.5h or 2m30s (units are ns, us, ms, s, m, h).',
  ],
];

const argsOf = (command: string) => command.split(' ').filter((help) => help !== '');

suite('wrong usage is reported in one sentence, with exit code 2', { concurrency: 4 }, () => {
  for (const [command, sentence] of wrong) {
    test(`weeder ${command}`, async () => {
      const ended = await sharedCli(argsOf(command));
      assert.equal(oneSentence(ended, 2), `${sentence} ${see}`);
      assert.equal(ended.stdout, '');
    });
  }

  for (const [command, sentence] of alsoWrong) {
    test(`weeder ${command} (in this process)`, async () => {
      const { verb, words } = readArguments(argsOf(command));
      const program = createProgram(() => assert.fail('a verb ran'));
      const error: unknown = await program.parseAsync(words, { from: 'user' }).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof CommanderError);
      assert.deepEqual(usageProblem(error, verb, program), codedError('USAGE', sentence));
    });
  }
});

test('--version prints the version and nothing else', async () => {
  for (const flag of ['--version', '-version']) {
    assert.deepEqual(await cli([flag]), { code: 0, signal: null, stdout: `${packageJson.version}\n`, stderr: '' });
  }
});

test('without any word, and with --help, the verbs come first, then examples; the flags of run are in its own help', async () => {
  const [alone, ...others] = await Promise.all([
    cli([]),
    sharedCli(['--help']),
    sharedCli(['-h']),
    sharedCli(['-help']),
    sharedCli(['help']),
  ]);
  for (const other of others) assert.deepEqual(other, alone);
  const { stdout, code, stderr } = alone;
  assert.deepEqual([code, stderr], [0, '']);
  const headings = stdout.match(/^[A-Z][a-z ]+:/gm);
  const groups = ['Run:', 'Configure:', 'Observe a cluster:', 'Without a cluster:', 'Other:'];
  assert.deepEqual(headings, ['Usage:', ...groups, 'Examples:']);
  for (const command of createProgram(() => {}).commands)
    assert.match(stdout, new RegExp(`^ {2}${command.name()} {2,}\\w`, 'm'));
  assert.doesNotMatch(stdout, /--metrics-bind-addr|\[options\]/);
  const run = await sharedCli(['run', '--help']);
  for (const text of ['Config:', 'Cluster:', 'Deletions, restarts and applies:', 'Process:', 'Exit codes:'])
    assert.ok(run.stdout.includes(text), text);
  for (const flag of ['metrics-bind-addr', 'pprof-bind-addr', 'concurrent-reconciles', 'zap-encoder'])
    assert.ok(run.stdout.includes(`--${flag}`), flag);
  for (const line of [...stdout.split('\n'), ...run.stdout.split('\n')]) assert.ok(line.length <= 80, line);
});

test('each example of the help is a command line that its verb accepts', async () => {
  for (const [, words] of examples) {
    const program = createProgram(() => {});
    const [verb] = words.split(' ');
    let hasRun = false;
    program.commands
      .find((each) => each.name() === verb)
      ?.action(() => {
        hasRun = true;
      });
    await program.parseAsync(words.split(' '), { from: 'user' });
    assert.ok(hasRun, words);
  }
});

test('each verb has its own help', async () => {
  for (const verb of ['weeder', ...createProgram(() => {}).commands.map((each) => each.name())]) {
    const [own, viaHelp] = await Promise.all([
      sharedCli([verb, '--help']),
      sharedCli(['help', verb === 'weeder' ? 'run' : verb]),
    ]);
    assert.equal(own.code, 0);
    assert.match(own.stdout, new RegExp(`^Usage: weeder ${verb === 'weeder' ? 'run' : verb} `));
    assert.equal(viaHelp.stdout, own.stdout);
  }
});
