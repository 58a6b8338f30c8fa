import { z } from 'zod';

/** A process, or a browser with all its processes. CPU in per cent of a core, memory in MiB. */
const Cost = z.object({ cpu: z.number(), memory: z.number() });
export type Cost = z.infer<typeof Cost>;

/** One opened page, alone. */
const Load = z.object({
  view: z.string(),
  /** From the beginning of the navigation to the frame that shows the first rows. Milliseconds. */
  firstRows: z.number(),
  bytes: z.number(),
  elements: z.number(),
});
export type Load = z.infer<typeof Load>;

/** The pages that are open for some time. */
const Opened = z.object({
  browser: Cost,
  /** Received by all pages in a second. Bytes. */
  received: z.number(),
  /** Of the page that has the most. */
  elements: z.number(),
});
export type Opened = z.infer<typeof Opened>;

/** Services change: the time from each becoming ready to the deletion of its pod. Milliseconds. */
const Changes = z.object({ deletions: z.number(), p50: z.number(), p99: z.number(), max: z.number(), weeder: Cost });
export type Changes = z.infer<typeof Changes>;

/** Frames of a page. */
const Frames = z.object({
  perSecond: z.number(),
  /** Between two frames. Milliseconds. */
  longest: z.number(),
  /** The CPU time of the page's main thread for one frame. Milliseconds. */
  cpu: z.number(),
});
export type Frames = z.infer<typeof Frames>;

const Scrolling = z.object({ services: z.number(), elements: z.number(), atRest: Frames, scrolling: Frames });
export type Scrolling = z.infer<typeof Scrolling>;

export const LivePageCase = z.object({
  services: z.number(),
  actors: z.number(),
  pages: z.number(),
  /** Services that change in each half of a round. */
  changing: z.number(),
  /** How long each half of a round takes. */
  seconds: z.number(),
  loads: z.array(Load),
  atRest: z.object({ weeder: Cost, withPage: Opened.extend({ weeder: Cost }) }),
  rounds: z.array(z.object({ without: Changes, withPages: Changes.extend({ pages: Opened }) })),
  scroll: Scrolling,
});
export type LivePageCase = z.infer<typeof LivePageCase>;
