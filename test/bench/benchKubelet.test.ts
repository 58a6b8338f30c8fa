import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cases, casesOf, longestBackOffs, type Outcome, trialsOf } from '../../bench/kubelet/cases.ts';
import { kubeletReport, recoverySentence, shortBackOffTable, verdict } from '../../bench/kubelet/results.ts';

/** Outcomes of every case: `times` with weeder, 70 s without. */
function outcomesOf(times: readonly number[]): Outcome[] {
  const rest = { reported: 'terminated', backOffElapsed: 5, replaced: true } as const;
  return cases.flatMap((one) => [
    ...times.map((seconds) => ({ ...one, ...rest, hasWeeder: true, seconds, deletedAfter: seconds / 10 })),
    ...times.map((_, index) => ({ ...one, ...rest, hasWeeder: false, seconds: 70 + index })),
  ]);
}

const about = {
  measured: '2026-11-21',
  kubelet: 'kubelet v1',
  runtime: 'containerd 1',
  machine: '2 cores',
  weeder: 'in a pod',
};

suite('the benchmark on a real kubelet', () => {
  test('has a trial of each case for each run, with weeder and without, each with its own name and port', () => {
    const ports = Array.from({ length: 24 }, (_, index) => 20_000 + index);
    const kinds = casesOf(longestBackOffs.default);
    const trials = trialsOf(kinds, 2, ports);
    assert.equal(trials.length, kinds.length * 2 * 2);
    assert.equal(new Set(trials.map(({ name }) => name)).size, trials.length);
    assert.deepEqual(new Set(trials.map(({ port }) => port)), new Set(ports));
    assert.equal(trials.filter(({ hasWeeder }) => hasWeeder).length, trials.length / 2);
  });

  test('prints for each case the median and the range without weeder, the median, the worst and weeder’s part with it', () => {
    const text = kubeletReport({ ...about, runs: 3, outcomes: outcomesOf([0.9, 0.2, 0.3]) }).replace(/ +/g, ' ');
    assert.match(text, /^\| at once \| 40 s \| 5 s into it \| 71 s \(70–72\) \| 0\.30 s \| 0\.90 s \| 0\.03 s \|$/m);
    assert.match(
      text,
      /^\| after 5 s \| 80 s \| as the back-off begins \| 71 s \(70–72\) \| 0\.30 s \| 0\.90 s \| 0\.03 s \|$/m,
    );
    assert.match(text, /with kubelet v1 and containerd 1, 2 cores; weeder ran in a pod\. /);
    assert.match(text, /In 36 of the 36 trials the kubelet reported `terminated`/);
    assert.doesNotMatch(text, /\| 10 s \|/);
    const sentence = recoverySentence({ ...about, runs: 3, outcomes: outcomesOf([0.9, 0.2, 0.3]) });
    assert.match(
      sentence,
      /in a back-off of 40 s is Ready \*\*0\.30 s after its service recovers, instead of 71 s\*\*/,
    );
  });

  test('prints the cases of a kubelet with a short maximum in a table of their own', () => {
    const text = shortBackOffTable({ ...about, runs: 3, outcomes: outcomesOf([0.9, 0.2, 0.3]) }).replace(/ +/g, ' ');
    assert.match(text, /^\| at once \| 10 s \| 5 s into it \| 71 s \(70–72\) \| 0\.30 s \| 0\.90 s \| 0\.03 s \|$/m);
    assert.doesNotMatch(text, /\| 40 s \|/);
    assert.match(text, /`maxContainerRestartPeriod: 10s`/);
  });

  test('the median of an even number of values is the mean of the middle two', () => {
    assert.match(verdict(outcomesOf([0.1, 0.2, 0.4, 0.9])).lines[0] ?? '', /median 0\.30 s \(< 1 s\), worst 0\.90 s/);
  });

  test('reports the goal as met if every median is below 1 s and no trial takes 3 s', () => {
    const { isMet, lines } = verdict(outcomesOf([0.2, 0.9, 2.9]));
    assert.equal(isMet, true);
    assert.equal(lines.filter((line) => line.startsWith('met ')).length, 6);
  });

  for (const [what, times] of [
    ['one takes 3 s', [0.2, 0.3, 3]],
    ['the median is 1 s', [0.2, 1, 1.1]],
    ['a case was not measured', []],
  ] as const) {
    test(`reports the goal as missed if ${what}`, () => {
      const { isMet, lines } = verdict(outcomesOf(times));
      assert.equal(isMet, false);
      assert.equal(lines.filter((line) => line.startsWith('missed ')).length, 6);
    });
  }

  test('has no goal for a service that recovers when the back-off begins', () => {
    const outcomes = outcomesOf([0.2]).map((each) => ({ ...each, seconds: each.recoversAfter === 0 ? 2.2 : 0.2 }));
    const { isMet, lines } = verdict(outcomes);
    assert.equal(isMet, true);
    assert.equal(lines.filter((line) => /^no goal .*recovers after 0 s: median 2\.20 s/.test(line)).length, 4);
  });

  test('names the missing tools in one sentence, and installs nothing', async () => {
    const { code, stdout, stderr } = await bench([], { PATH: '/nonexistent' });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /^This benchmark runs a real kubelet and needs .*containerd \(containerd\), .*runc \(runc\).*\.\n$/,
    );
  });

  for (const flags of [
    ['--runs', '0'],
    ['--runs', 'many'],
    ['--run', '3'],
  ]) {
    test(`refuses ${flags.join(' ')} in one sentence`, async () => {
      const { code, stderr } = await bench(flags, {});
      assert.equal(code, 1);
      assert.match(stderr, /--run/);
      assert.equal(stderr.split('\n').length, 2, stderr);
    });
  }
});

function bench(
  flags: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  const program = fileURLToPath(new URL('../../bench/kubelet/run.ts', import.meta.url));
  const own = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env };
  execFile(process.execPath, [program, ...flags], { env: own }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return promise;
}
