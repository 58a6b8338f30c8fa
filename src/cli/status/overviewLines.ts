import { timeInSeconds } from '@weeder/kube-runtime/base';
import { z } from 'zod';

const Line = z.object({
  object: z.string(),
  words: z.string(),
  since: z.number().optional(),
  next: z.object({ words: z.string(), at: z.number() }).optional(),
});
const Group = z.object({ total: z.number(), lines: z.array(Line) });

/** What is printed of the `Overview` of the live page; a weeder of another version may serve more. */
const PrintedOverview = z.object({
  problems: z.array(Group),
  waits: z.array(Group),
  did: z.object({ isDryRun: z.boolean() }),
  controllers: z.array(z.object({ name: z.string(), state: z.enum(['on', 'standby', 'off']), summary: z.string() })),
});

/** The page has all of them. */
const longestGroup = 10;

/** The overview of the live page, as lines of text; undefined: the text is none. */
export function overviewLines(text: string): readonly string[] | undefined {
  const overview = PrintedOverview.safeParse(parsed(text)).data;
  if (overview === undefined) return undefined;
  const { problems, waits, did, controllers } = overview;
  return [
    ...(did.isDryRun ? ['dry run: nothing in the cluster is changed'] : []),
    ...controllers.map(({ name, state, summary }) => `${name}: ${state === 'on' ? summary : state}`),
    ...section('needs attention', problems),
    ...section('waits', waits),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function section(title: string, groups: readonly z.infer<typeof Group>[]): readonly string[] {
  if (groups.every(({ lines }) => lines.length === 0)) return [];
  return [`${title}:`, ...groups.flatMap(groupLines).map((line) => `  ${line}`)];
}

function groupLines({ total, lines }: z.infer<typeof Group>): readonly string[] {
  const shown = lines.slice(0, longestGroup).map(({ object, words, since, next }) => {
    const from = since === undefined ? '' : `  [since ${timeInSeconds(since)}]`;
    const then = next === undefined ? '' : `, ${next.words} at ${timeInSeconds(next.at)}`;
    return `${object}: ${words}${then}${from}`;
  });
  return total > shown.length ? [...shown, `… and ${total - shown.length} more`] : shown;
}
