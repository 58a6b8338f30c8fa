import { z } from 'zod';

/** The section `observer`: what is observed and how is said by each Application. */
export const observerSection = z
  .strictObject({})
  .describe(
    'Looks after Applications (`applications.weeder.dev`): applies what they hold, and keeps it as it was applied. Write `observer: {}`; there is nothing to set. Without this section none is looked after.',
  );

/** The section `observer`, with nothing left to default. */
export type ObserverConfig = z.output<typeof observerSection>;
