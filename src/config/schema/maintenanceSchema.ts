import { z } from 'zod';
import { refusedCron, refusedTimeZone } from './cron.ts';
import { duration } from './durationSchema.ts';
import { whenMissing, withDefault } from './selectorSchema.ts';

const maxResults = 100;

/** A text that the given function validates. */
function refusedBy(refused: (text: string) => string | undefined) {
  // The validation takes milliseconds, and a config of a thousand rules repeats the same few texts.
  const results = new Map<string, string | undefined>();
  return (text: string, context: z.RefinementCtx) => {
    if (results.size > maxResults) results.clear();
    if (!results.has(text)) results.set(text, refused(text));
    const message = results.get(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
}

/** A recurring time. */
const maintenanceWindow = z
  .strictObject({
    cron: z
      .string(whenMissing('missing; give the times at which the window opens, such as "0 22 * * 1-5"'))
      .superRefine(refusedBy(refusedCron))
      .meta({ title: 'cron expression' })
      .describe(
        'When the window opens: minute, hour, day of the month, month and day of the week, as for a CronJob. Put it in quotes.',
      ),
    timeZone: withDefault(
      z.string().superRefine(refusedBy(refusedTimeZone)).meta({ title: 'time zone' }),
      'UTC',
    ).describe('The time zone of `cron`, such as `Europe/Berlin`.'),
    duration: duration('aboveZero').describe('How long the window stays open.'),
  })
  .describe('A recurring time.');

/** A list of maintenance windows. `description`: what begins only while one of them is open. */
export function maintenanceWindowsFor(description: string) {
  return z.array(maintenanceWindow).describe(description);
}
