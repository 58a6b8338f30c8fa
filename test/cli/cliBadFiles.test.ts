import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { listen } from '@weeder/kube-runtime/testing';
import { config, file, folder, kubeconfig, oneSentence, sharedCli } from '../support/cli.ts';

const correct = 'Correct it; `weeder check FILE` shows every error at once.';
const readable = 'Give the path of a readable YAML file with --config-file.';
const kube = 'Correct the kubeconfig, or choose another one with --kubeconfig or --context.';

mkdirSync(join(folder, 'directory'), { recursive: true });

const badConfigs: readonly (readonly [path: string, sentence: string])[] = [
  [join(folder, 'absent.yaml'), `./absent.yaml: there is no such file. ${readable}`],
  [join(folder, 'directory'), `./directory: is a directory; give the path of the config file in it. ${readable}`],
  [
    file('broken.yaml', 'a: b: c\n'),
    `./broken.yaml:1:4: not valid YAML: Nested mappings are not allowed in compact mappings. ${correct}`,
  ],
  [
    file('empty.yaml', ''),
    `./empty.yaml:1:1: the file is empty or has only comments; write {} for a config that does nothing. ${correct}`,
  ],
  [
    file('huge.yaml', `#${'x'.repeat(2 << 20)}`),
    `./huge.yaml: is larger than 1024 KiB, which no config needs. ${correct}`,
  ],
  [
    file('binary.yaml', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2])),
    `./binary.yaml: is not text: it contains NUL bytes; a config is YAML in UTF-8. ${correct}`,
  ],
  [
    file('list.yaml', '- a\n'),
    `./list.yaml:1:1: the top level must be a mapping with the key servicesAndDependantSelectors, declaredDependencies, podCreation, restartControl or observer. ${correct}`,
  ],
];

suite('an unusable config is reported in one sentence, by run and by explain', { concurrency: 4 }, () => {
  for (const [path, sentence] of badConfigs) {
    test(sentence, async () => {
      assert.equal(oneSentence(await sharedCli([`--config-file=${path}`]), 1), sentence);
    });
  }
  test('a file that is larger than any Application is reported with that limit', async () => {
    const path = file('vast.yaml', `#${'x'.repeat(9 << 20)}`);
    const { stderr } = await sharedCli(['check', path]);
    assert.match(stderr, /vast\.yaml: is larger than 8192 KiB, which no manifest needs/);
  });
  test('explain reports the same sentence as run', async () => {
    const [path = '', sentence = ''] = badConfigs[2] ?? [];
    assert.equal(oneSentence(await sharedCli(['explain', '--config-file', path]), 1), sentence);
  });
  test('several errors are listed one to a line, between the error and its hint', async () => {
    const path = file('three.yaml', 'watchDuration: 5\nonStart: recnt\nservicesAndDependantSelectors: {db: {}}\n');
    const { code, stdout, stderr } = await sharedCli(['run', `--config-file=${path}`]);
    const lines = stderr.replaceAll(folder, '.').trimEnd().split('\n');
    assert.equal(lines.at(0), 'weeder: The config ./three.yaml has 3 errors:');
    assert.deepEqual(
      lines.slice(1, -1).map((line) => line.split(':', 3).join(':')),
      [
        './three.yaml:1:16 watchDuration',
        './three.yaml:2:10 onStart',
        './three.yaml:3:33 servicesAndDependantSelectors.db.podSelectors',
      ],
    );
    assert.equal(lines.at(-1), correct);
    assert.deepEqual([code, stdout], [1, '']);
  });
});

interface BadKubeconfig {
  readonly what: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly sentence: string | RegExp;
}

const give = 'Give a kubeconfig with --kubeconfig or $KUBECONFIG, or try `weeder demo`, which needs no cluster.';

const badKubeconfigs: readonly BadKubeconfig[] = [
  {
    what: 'nothing at all',
    sentence: `No cluster was found: no --kubeconfig, no $KUBECONFIG, not in a pod ($KUBERNETES_SERVICE_HOST is not set), no ./.kube/config. ${give}`,
  },
  {
    what: 'a pod without its token',
    env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', HOME: '' },
    sentence: /^No cluster was found: .*is automountServiceAccountToken off\?\), no home folder/,
  },
  {
    what: 'a missing file',
    words: ['--kubeconfig', join(folder, 'absent')],
    sentence: 'The kubeconfig ./absent does not exist. Give the path of an existing one.',
  },
  {
    what: 'a missing file in $KUBECONFIG',
    env: { KUBECONFIG: join(folder, 'absent') },
    sentence: `$KUBECONFIG names ./absent, which does not exist. ${give}`,
  },
  {
    what: 'a directory',
    words: ['--kubeconfig', join(folder, 'directory')],
    sentence: `The kubeconfig ./directory is a folder. ${kube}`,
  },
  {
    what: 'broken YAML',
    words: ['--kubeconfig', file('broken.kubeconfig', 'a: b: c')],
    sentence: /^The kubeconfig \.\/broken\.kubeconfig is not YAML: Nested mappings/,
  },
  {
    what: 'another YAML file',
    words: ['--kubeconfig', config],
    sentence: /^The kubeconfig \.\/weeder\.yaml names no current-context; it has none at all\./,
  },
  {
    what: 'an unknown context',
    words: ['--kubeconfig', file('good.kubeconfig', kubeconfig('https://127.0.0.1:9')), '--context=prod'],
    sentence: 'The kubeconfig ./good.kubeconfig has no context "prod"; it has "here". Choose one with --context.',
  },
  {
    what: 'a server that is not an address',
    words: ['--kubeconfig', file('server.kubeconfig', kubeconfig('somewhere'))],
    sentence: `In the kubeconfig ./server.kubeconfig, context "here": the server is not an address such as https://10.0.0.1:6443. ${kube}`,
  },
  {
    what: 'a token file that does not exist',
    words: ['--kubeconfig', file('token.kubeconfig', kubeconfig('https://127.0.0.1:9', { tokenFile: 'missing' }))],
    sentence: `In the kubeconfig ./token.kubeconfig, context "here": the tokenFile ./missing does not exist. ${kube}`,
  },
];

suite('a kubeconfig that cannot be used is reported in one sentence', { concurrency: 4 }, () => {
  for (const { what, words: args = [], env = {}, sentence } of badKubeconfigs) {
    test(what, async () => {
      const words = [`--config-file=${config}`, '--health-bind-addr=0', '--metrics-bind-addr=0', ...args];
      const ended = await sharedCli(words, env);
      const message = oneSentence(ended, 1);
      if (typeof sentence === 'string') assert.equal(message, sentence);
      else assert.match(message, sentence);
      assert.equal(ended.stdout, '');
    });
  }
});

for (const flag of ['--health-bind-addr', '--metrics-bind-addr']) {
  test(`a port in use is reported with the flag ${flag}, before any request to the cluster`, async (t) => {
    const server = createServer();
    const port = await listen(server);
    t.after(() => server.close());
    const path = file('dead.kubeconfig', kubeconfig('https://127.0.0.1:9'));
    const nowhere = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
    const args = [`--config-file=${config}`, `--kubeconfig=${path}`, ...nowhere];
    const ended = await sharedCli([...args, `${flag}=127.0.0.1:${port}`]);
    assert.equal(
      oneSentence(ended, 1),
      `Cannot listen on 127.0.0.1:${port} (${flag}): another process listens there already. Free the port, choose another one, or give "0" to listen on none.`,
    );
    assert.equal(ended.stdout, '');
  });
}
