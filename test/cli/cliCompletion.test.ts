import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { file, folder, sharedCli } from '../support/cli.ts';

/** The script of a shell, as a file. */
async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await sharedCli(['completion', shell]);
  assert.deepEqual([code, stderr], [0, '']);
  return file(`completion.${shell}`, stdout);
}

/** Runs a script in a shell without the files of its user; undefined if this machine does not have the shell. */
function inShell(shell: string, args: readonly string[]): string | undefined {
  const { error, stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return undefined;
  assert.equal(stderr, '');
  return stdout;
}

/** Command lines of which the last word is completed, with all candidates in the order of the alphabet. */
const lines: readonly (readonly [line: string, candidates: string])[] = [
  ['weeder e', 'events explain'],
  ['weeder check -', '--help --output -h -o'],
  ['weeder check -o ', 'json yaml'],
  ['weeder explain ', 'application pod service workload'],
  ['weeder explain -n shop p', 'pod'],
  ['weeder explain pod ', ''],
  ['weeder --con', '--concurrent-deletions --config-file --context'],
  ['weeder --log-level ', 'debug error info warn'],
  ['weeder run --config-file candidate', 'candidate.yaml'],
  ['weeder -c candidate', 'candidate.yaml'],
  ['weeder replay candidate', 'candidate.yaml'],
  ['weeder help v', 'version'],
  ['weeder demo --kubelet ', '1.34 1.36'],
  ['weeder completion ', 'bash fish powershell zsh'],
  ['weeder suggest --as ', ''],
];

suite('completion', () => {
  file('candidate.yaml', '');

  /** What bash completes for each command line, whose words are separated as bash separates them. */
  async function completedByBash(commands: readonly (readonly string[])[]): Promise<readonly string[]> {
    const script = `source "$1"
while IFS=$'\\t' read -r -a COMP_WORDS; do
  COMP_WORDS=("\${COMP_WORDS[@]/%_/}"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _weeder; printf '%s\\n' "\${COMPREPLY[*]}"
done < "$2"`;
    const words = file(
      'lines',
      commands.map((command) => `${command.map((word) => `${word}_`).join('\t')}\n`).join(''),
    );
    const output = inShell('bash', ['--norc', '-c', script, 'bash', await scriptFor('bash'), words]);
    assert.ok(output !== undefined, 'bash is needed');
    return output.trimEnd().split('\n').map(sorted);
  }

  test('bash completes verbs, flags, choices and files', async () => {
    const completed = await completedByBash(lines.map(([line]) => line.split(' ')));
    assert.deepEqual(
      lines.map(([line], index) => [line, completed[index] ?? '']),
      lines,
    );
    // bash separates `=` from what is before and after it.
    const ofEquals = await completedByBash([
      ['weeder', 'check', '--output', '='],
      ['weeder', 'check', '--output', '=', 'y'],
      ['weeder', 'explain', '--namespace', '=', 'shop', 'p'],
    ]);
    assert.deepEqual(ofEquals, ['json yaml', 'yaml', 'pod']);
  });

  test('bash completes every verb and every flag of the program, and none that is hidden', async () => {
    const program = createProgram(() => {});
    const verbs = program.commands.map((each) => each.name());
    const completed = await completedByBash([['weeder', ''], ...verbs.map((verb) => ['weeder', verb, '-'])]);
    assert.equal(completed[0], sorted([...verbs, 'help'].join(' ')));
    program.commands.forEach((command, index) => {
      const flags = command.options
        .filter(({ hidden }) => !hidden)
        .flatMap(({ short, long }) => [short ?? [], long ?? []]);
      assert.equal(completed[index + 1], sorted([...flags.flat(), '-h', '--help'].join(' ')), command.name());
    });
  });

  // fish and zsh are not needed for the other tests: a machine without them checks only that the script is printed.
  test('fish completes the same', async (t) => {
    const script = await scriptFor('fish');
    const completed = lines.map(([line]) => inShell('fish', ['-c', `source ${script}; complete -C "$argv[1]"`, line]));
    if (completed.includes(undefined)) return t.diagnostic('fish is not installed');
    assert.deepEqual(
      lines.map(([line], index) => [
        line,
        sorted((completed[index] ?? '').replace(/\t.*$/gm, '').replaceAll('\n', ' ')),
      ]),
      lines,
    );
  });

  test('zsh passes the flags and choices of the verb to its own function', async (t) => {
    const script = await scriptFor('zsh');
    const passed = (...words: readonly string[]) =>
      inShell('zsh', [
        '-f',
        '-c',
        `compdef() {}; _arguments() { print -rl -- $CURRENT "$@" }; _describe() { print -rl -- $verbs }
source "$1"; shift; words=("$@"); CURRENT=$#; _weeder`,
        'zsh',
        script,
        ...words,
      ]);
    const verbs = passed('weeder', '');
    if (verbs === undefined) return t.diagnostic('zsh is not installed');
    assert.match(verbs, /^explain:show /m);
    const check = passed('weeder', 'check', '')?.split('\n');
    assert.deepEqual(check?.slice(0, 5), [
      '2',
      '-s',
      '-S',
      '(-o --output)-o+[print data for programs instead of text]:value:(json yaml)',
      '(-o --output)--output=[print data for programs instead of text]:value:(json yaml)',
    ]);
    assert.ok(check?.includes('*:file:_files'));
    const run = passed('weeder', '--log-level', '')?.split('\n');
    assert.equal(run?.[0], '3');
    assert.ok(run?.includes('(--log-level)--log-level=[how much is logged]:value:(debug info warn error)'));
    assert.match(passed('weeder', 'explain', '') ?? '', /^:what:\(application pod service workload\)$/m);
  });

  test('PowerShell has a table of the flags of each verb, and of the words of flags and arguments', async () => {
    const { stdout } = await sharedCli(['completion', 'powershell']);
    assert.match(stdout, /^Register-ArgumentCompleter -Native -CommandName weeder -ScriptBlock \{$/m);
    assert.match(stdout, /^ {4}'check -o' = \[ordered\]@\{ 'json' = 'json'; 'yaml' = 'yaml' \}$/m);
    assert.match(stdout, /^ {4}'check' = \[ordered\]@\{ '--output' = 'print data [^']+'; '--help' = '[^']+' \}$/m);
    // A quote within a text is doubled, also a typographic one.
    assert.doesNotMatch(stdout, /[^’]’[^’]/);
  });
});

function sorted(words: string): string {
  return words
    .split(' ')
    .filter((word) => word !== '')
    .sort()
    .join(' ');
}
