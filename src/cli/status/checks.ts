import type { PodStatus } from '../data/statusShape.ts';

type Checks = NonNullable<PodStatus['checks']>;

/** What `/readyz?verbose` says. */
export function readChecks(text: string): Checks {
  return text.split('\n').flatMap((line) => {
    const [, sign, check = ''] = /^\[([+-])\](.*)$/.exec(line) ?? [];
    const result = sign === '+' ? ' ok' : ' failed';
    const end = `${check}: `.indexOf(`${result}: `);
    const name = check.slice(0, end);
    if (sign === undefined || end === -1 || name === 'ping') return [];
    return [{ name, ok: sign === '+', detail: check.slice(end + result.length + 2) }];
  });
}

/** The checks as lines of text, and streams that are read as a number. */
export function checkLines(checks: Checks): readonly string[] {
  const [streams, others] = [checks.filter(isOfStream), checks.filter((check) => !isOfStream(check))];
  const bad = streams.filter(({ ok, detail }) => !ok || detail.includes('down for'));
  return [
    ...others.map(inWords),
    ...(streams.length === 0 ? [] : [`streams: ${streams.length - bad.length} of ${streams.length} are read`]),
    ...bad.map((check) => `  ${inWords(check)}`),
  ];
}

function isOfStream({ name }: Checks[number]): boolean {
  return name.startsWith('stream/');
}

/** `manager: at work`, `lease: failed: …` */
function inWords({ name, ok, detail }: Checks[number]): string {
  return [name, ...(ok ? [] : ['failed']), ...(detail === '' ? [] : [detail])].join(': ');
}
