import { parseDuration } from '@weeder/kube-runtime/base';
import { eventually } from '../eventually.ts';
import type { RunningWeeder } from '../weeder.ts';
import type { LogLine } from '../weederLog.ts';
import { at, pathOf, read } from './observedObjects.ts';
import { edit, type ObserverScene } from './observerScene.ts';

/** A shorter wait may be over before a busy machine has sent the next requests. Milliseconds. */
const longEnough = 10_000;

/**
 * Another client changes the value `a` of a ConfigMap from `1` to `theirs` after each correction, until the next one
 * waits for more than ten seconds. Returns the line that reports it.
 */
export async function contest(
  { ns }: Pick<ObserverScene, 'ns'>,
  { log }: Pick<RunningWeeder, 'log'>,
  name: string,
  manager?: string,
): Promise<LogLine> {
  const backingOff = 'correction backing off: the resource is changed back repeatedly';
  const resource = `ConfigMap ${ns.name}/${name}`;
  for (;;) {
    await edit(ns, pathOf(ns, 'ConfigMap', name), { data: { a: 'theirs' } }, manager);
    const outcome = await eventually(
      async (saw) => {
        const lines = log.find(backingOff, { resource });
        const value = at(await read(ns, 'ConfigMap', name), 'data', 'a');
        saw([lines, value]);
        return lines.find(({ wait }) => isLong(wait)) ?? (value === '1' && 'corrected');
      },
      { what: `a correction of ${name}, or a long wait for it` },
    );
    if (outcome !== 'corrected') return outcome;
  }
}

function isLong(wait: unknown): boolean {
  const duration = parseDuration(String(wait));
  return duration.ok && duration.value > longEnough;
}
