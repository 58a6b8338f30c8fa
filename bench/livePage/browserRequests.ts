import { z } from 'zod';

/** The requests to the process that controls the browser (browserProcess.ts). */
export const BrowserRequest = z.union([
  /** Opens one more page, and waits for its first rows. */
  z.object({ open: z.string(), view: z.string() }),
  /** Of all open pages. */
  z.object({ look: z.literal(true) }),
  z.object({ closePages: z.literal(true) }),
  /** Scrolls through so many services, for so long. */
  z.object({ scroll: z.number(), ms: z.number() }),
]);
export type BrowserRequest = z.infer<typeof BrowserRequest>;

/** The pages, together. */
export const Look = z.object({ bytes: z.number(), elements: z.number() });
export type Look = z.infer<typeof Look>;

/** The times of some frames, and the CPU time of the page's main thread for all of them. Milliseconds. */
const Frames = z.object({ times: z.array(z.number()), cpu: z.number() });

export const Scrolled = z.object({ elements: z.number(), atRest: Frames, scrolling: Frames });
export type Scrolled = z.infer<typeof Scrolled>;
