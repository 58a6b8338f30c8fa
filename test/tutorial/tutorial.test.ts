import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { follows, runCommand } from './commands.ts';
import { isAsShown } from './output.ts';
import { type Command, readPage } from './page.ts';
import { substitutes } from './substitutes.ts';

const shell = { folder: tmpdir(), env: process.env };
const page = `# Title

\`\`\`yaml
# deploy/a.yaml
a: 1
\`\`\`

1. In a list:

   \`\`\`console
   $ one   # a comment
   $ two
   shown
     indented
   \`\`\`

## Another way

\`\`\`console
$ three
\`\`\`
`;

suite('a page that is followed', () => {
  test('gives its files, and its commands with their outputs, in order', () => {
    const first = [
      { file: 'deploy/a.yaml', content: '# deploy/a.yaml\na: 1\n' },
      { command: 'one   # a comment', output: [] },
      { command: 'two', output: ['shown', '  indented'] },
    ];
    assert.deepEqual(readPage(page), [...first, { command: 'three', output: [] }]);
    assert.deepEqual(readPage(page, 'Another way'), first);
  });

  test('is refused if a file has no name, or a block begins with an output', () => {
    assert.throws(() => readPage('```yaml\na: 1\n```\n'), /not the name of its file: a: 1/);
    assert.throws(() => readPage('```console\nshown\n```\n'), /begins with an output, not with a command: shown/);
  });

  test('shows an output in which names of pods, durations and omitted parts differ, and nothing else', () => {
    const shown = [
      'NAME              READY',
      'shop-7b8d6c9f54-4jx8q  1/1  3 (22s ago)',
      'at 2026-01-01T00:00:00Z',
      '…',
      'last … line',
    ];
    const output = (line: string) => `NAME  READY\n${line}\nat 2026-02-03T04:05:06.789Z\nmore\n\nlast of all line\n`;
    assert.ok(isAsShown(shown, output('shop-5d4b7c6f9z-zzzzz   1/1   3 (1m5s ago)'), 'complete'));
    assert.ok(!isAsShown(shown, output('shop-5d4b7c6f9z-zzzzz   0/1   3 (1m5s ago)'), 'complete'));
    assert.ok(!isAsShown(shown, output('shop-5d4b7c6f9z-zzzzz   1/1   4 (1m5s ago)'), 'complete'));
    assert.ok(!isAsShown(shown, output('other-5d4b7c6f9z-zzzzz   1/1   3 (1m5s ago)'), 'complete'));
    assert.ok(!isAsShown(shown, `${output('shop-5d4b7c6f9z-zzzzz 1/1 3 (1s ago)')}more\n`, 'complete'));
    assert.ok(isAsShown(shown, `${output('shop-5d4b7c6f9z-zzzzz 1/1 3 (1s ago)')}more\n`, 'so far'));
    assert.ok(!isAsShown(['a.b (c)'], 'axb (c)\n', 'complete'));
  });

  test('fails with a command that fails, or gives another output', async () => {
    await runCommand(shell, { command: 'echo a; echo b >&2', output: ['a', 'b'] });
    await assert.rejects(runCommand(shell, { command: 'false | cat', output: [] }), /`false \| cat` failed \(1\)/);
    await assert.rejects(runCommand(shell, { command: 'echo a', output: ['b'] }), /not this output of `echo a`:\nb\n/);
  });

  test('ends a command that keeps running, once the output is as shown', async () => {
    const goesOn = 'echo started; sleep 1000 # --follow';
    await runCommand(shell, { command: goesOn, output: ['started'] });
    await assert.rejects(
      runCommand(shell, { command: goesOn, output: [] }),
      /does not end, and its page shows no output/,
    );
  });
});

test('every page has outputs for the commands that go on, and every substitute has a command', () => {
  const pages = ['docs/tutorial.md', 'docs/how-to/upgrade.md'];
  const commands = pages
    .flatMap((path) => readPage(readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8')))
    .filter((step): step is Command => 'command' in step);
  assert.ok(commands.length > 30);
  const endless = commands.filter(({ command }) => follows.test(command));
  assert.ok(endless.length > 0 && endless.every(({ output }) => output.length > 0));
  const unused = substitutes.filter(([pattern]) => !commands.some(({ command }) => pattern.test(command)));
  assert.deepEqual(unused, []);
});
