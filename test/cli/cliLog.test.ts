import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLogger, type LogLevel } from '../../src/base/log.ts';
import type { WeederEvent } from '../../src/weeder/deletions/weederEvents.ts';
import { logWeeder } from '../../src/weeder/report/reportWeeder.ts';
import { config, file, kubeconfig, logOf, sharedCli } from '../support/cli.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';
import { onTerminal, withoutTerminal } from '../support/terminal.ts';

const ended = Date.UTC(2026, 0, 1, 0, 0, 5);
const lastRun = {
  exitCode: 1,
  signal: undefined,
  reason: 'Error',
  startedAt: ended - 5_000,
  message: 'the db is down',
};
const pod = crashLoopingPod({ finishedAt: ended, lastRun });
const window = { namespace: 'shop', service: 'db', window: 2 };

const events: readonly WeederEvent[] = [
  { type: 'window.opened', duration: 120_000, ...window },
  { type: 'pod.logRead', pod, lines: ['first', 'the "last"\u001b[2J'], ...window },
  { type: 'pod.deleted', pod, how: 'delete', sinceOpened: 12.4, isRepeated: false, ...window },
  { type: 'pod.recovered', pod, ...window },
  {
    type: 'deletion.refused',
    pod,
    reason: 'not allowed',
    failure: 'forbidden',
    attempt: 1,
    retryIn: 400,
    ...window,
  },
  { type: 'window.closed', deleted: 1, skipped: 0, failed: [], ...window },
];

/** The output of the logger for these events, for a terminal or another output. */
async function written(level: LogLevel, isTTY: boolean, weederEvents = events): Promise<string> {
  let text = '';
  const output = Object.assign(Object.create(process.stdout), {
    isTTY,
    hasColors: () => true,
    write: (chunk: string | Buffer) => {
      text += String(chunk);
      return true;
    },
  });
  const logger = await createLogger(level, output);
  for (const event of weederEvents) logWeeder(logger, { isDryRun: false, now: Date.now })(event);
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

test('each line is a JSON object with time, namespace, service, pod, window and cause', async () => {
  const lines = logOf({ stdout: await written('info', false) });
  assert.deepEqual(
    lines.map(({ level, msg }) => `${level}: ${msg}`),
    [
      'info: service recovered, window opened',
      'info: log of the crashed container',
      'info: pod deleted',
      'warn: deletion refused, retrying',
      'info: window closed',
    ],
  );
  for (const line of lines) {
    assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.partialDeepStrictEqual(line, window);
    assert.equal('pid' in line || 'hostname' in line, false);
  }
  assert.partialDeepStrictEqual(lines[0], { for: '2m0s' });
  assert.deepEqual(lines[1]?.['lines'], ['first', 'the "last"\u001b[2J']);
  assert.partialDeepStrictEqual(lines[2], {
    pod: 'shop/web-0',
    uid: 'u-1',
    container: 'main',
    cause: 'CrashLoopBackOff',
    restarts: 4,
    backOff: 'back-off 1m20s restarting failed container=main',
    sinceOpenedMs: 12,
    lastRun: {
      exitCode: 1,
      reason: 'Error',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:05Z',
      message: 'the db is down',
    },
  });
});

test('the line of a closed window says whether the next one has replaced it', async () => {
  const closed = { type: 'window.closed', deleted: 1, skipped: 0, failed: [], ...window } as const;
  const lines = logOf({ stdout: await written('info', false, [{ ...closed, isReplaced: true }, closed]) });
  assert.deepEqual(
    lines.map(({ msg, isReplaced }) => [msg, isReplaced]),
    [
      ['window closed', true],
      ['window closed', undefined],
    ],
  );
});

test('a log level shows its own lines and those of higher levels', async () => {
  const count = async (level: LogLevel) => logOf({ stdout: await written(level, false) }).length;
  assert.deepEqual(
    [await count('debug'), await count('info'), await count('warn'), await count('error')],
    [6, 5, 1, 0],
  );
});

test('on a terminal, lines are human-readable', async () => {
  const text = await written('info', true);
  assert.ok(text.includes('\u001b['), 'in colour');
  const plain = stripVTControlCharacters(text);
  assert.match(
    plain,
    /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: service recovered, window opened \{"namespace":"shop"[^\n]*\}\n/,
  );
  assert.doesNotMatch(plain, /^\{/m);
});

const args = [
  `--config-file=${config}`,
  `--kubeconfig=${file('log.kubeconfig', kubeconfig('http://127.0.0.1:9'))}`,
  '--health-bind-addr=0',
  '--metrics-bind-addr=0',
  '--api-server-timeout=100ms',
  '--zap-encoder=json',
];

test('the program honours --log-level and --zap-log-level', async () => {
  // On a busy machine the time-out may pass before the line that weeder waits, which is a warning.
  const isShown = async (level: string, ...more: readonly string[]) =>
    logOf(await sharedCli([...args, ...more])).some((line) => line['level'] === level);
  assert.equal(await isShown('info'), true);
  assert.equal(await isShown('info', '--log-level=warn'), false);
  assert.equal(await isShown('warn', '--zap-log-level=ERROR'), false);
  assert.equal(
    await isShown('info', '--log-level=error', '--zap-log-level=info'),
    true,
    'the original’s own flag wins',
  );
});

test('the program on a pseudo-terminal writes human-readable lines', { skip: withoutTerminal }, async () => {
  const { text } = await onTerminal(args);
  assert.match(stripVTControlCharacters(text), /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: \w.* \{.*\}\r?\n/m);
});
