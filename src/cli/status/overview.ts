import { timeInSeconds } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import type { PodStatus } from '../data/statusShape.ts';

type Overview = NonNullable<PodStatus['overview']>;

const Time = z.number().transform(timeInSeconds);
const Line = z.object({
  object: z.string(),
  words: z.string(),
  since: Time.optional(),
  next: z.object({ words: z.string(), at: Time }).optional(),
});
const Group = z.object({ total: z.number(), lines: z.array(Line) });

/** What is shown of the `Overview` of the live page; a weeder of another version may serve more. */
const ServedOverview = z.object({
  problems: z.array(Group),
  waits: z.array(Group),
  did: z.object({ isDryRun: z.boolean() }),
  controllers: z.array(z.object({ name: z.string(), state: z.enum(['on', 'standby', 'off']), summary: z.string() })),
});

/** The page has all of them. */
const longestGroup = 10;

/** The overview of the live page; undefined: the text is none. */
export function readOverview(text: string): Overview | undefined {
  const served = ServedOverview.safeParse(parsed(text)).data;
  if (served === undefined) return undefined;
  const { problems, waits, did, controllers } = served;
  return { dryRun: did.isDryRun, controllers, needsAttention: problems, waits };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The overview as lines of text. */
export function overviewLines({ dryRun, controllers, needsAttention, waits }: Overview): readonly string[] {
  return [
    ...(dryRun ? ['dry run: nothing in the cluster is changed'] : []),
    ...controllers.map(({ name, state, summary }) => `${name}: ${state === 'on' ? summary : state}`),
    ...section('needs attention', needsAttention),
    ...section('waits', waits),
  ];
}

function section(title: string, groups: Overview['waits']): readonly string[] {
  if (groups.every(({ lines }) => lines.length === 0)) return [];
  return [`${title}:`, ...groups.flatMap(groupLines).map((line) => `  ${line}`)];
}

function groupLines({ total, lines }: Overview['waits'][number]): readonly string[] {
  const shown = lines.slice(0, longestGroup).map(({ object, words, since, next }) => {
    const from = since === undefined ? '' : `  [since ${since}]`;
    const then = next === undefined ? '' : `, ${next.words} at ${next.at}`;
    return `${object}: ${words}${then}${from}`;
  });
  return total > shown.length ? [...shown, `… and ${total - shown.length} more`] : shown;
}
