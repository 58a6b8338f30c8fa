import type { ShownDependant, ShownService } from './overlay.ts';

/** The places of the boxes: `y` is the distance from the top of the picture to the top of the box, in pixels. */
export interface Layout {
  readonly height: number;
  /** By `namespace/service`. */
  readonly services: ReadonlyMap<string, { readonly y: number }>;
  /** By id, each with its services as `namespace/service`. */
  readonly dependants: ReadonlyMap<string, { readonly y: number; readonly services: readonly string[] }>;
  /** The notes that not all dependants of a service are shown, by `namespace/service`. */
  readonly notes: ReadonlyMap<string, { readonly y: number }>;
}

/** What of the dependencies determines their places. */
interface LaidOut {
  readonly services: readonly Pick<ShownService, 'namespace' | 'service' | 'dependants' | 'total'>[];
  readonly dependants: readonly Pick<ShownDependant, 'id'>[];
}

/** The height of a box without wrapped text in pixels, as in page.css. */
export const boxHeight = 48;
/** The space between one box and the next. */
const space = 8;
/** The space between one service with its dependants and the next. */
const gap = 12;

/** The key of the note that not all dependants of a service are shown. */
export function noteKey(service: string): string {
  return `more of ${service}`;
}

/**
 * Each service is in line with the first of its own dependants: those that depend on none of the services above it. A
 * box moves only if boxes above it come, go or get another height, or if its service goes down or recovers. `heightOf`:
 * by the key of a service, a dependant or a note.
 */
export function layoutOf(
  { services, dependants }: LaidOut,
  heightOf: (key: string) => number = () => boxHeight,
): Layout {
  const ys = new Map<string, { readonly y: number }>();
  const notes = new Map<string, { readonly y: number }>();
  const shown = new Set(dependants.map(({ id }) => id));
  const places = new Map<string, { readonly y: number; readonly services: string[] }>();
  let y = 0;
  for (const { namespace, service, dependants: ids, total } of services) {
    const key = `${namespace}/${service}`;
    ys.set(key, { y });
    let end = y;
    for (const id of ids.filter((each) => shown.has(each))) {
      const place = places.get(id);
      place?.services.push(key);
      if (place !== undefined) continue;
      places.set(id, { y: end, services: [key] });
      end += heightOf(id) + space;
    }
    if (total > ids.length) {
      notes.set(key, { y: end });
      end += heightOf(noteKey(key)) + space;
    }
    y = Math.max(end, y + heightOf(key) + space) + gap;
  }
  return { height: Math.max(0, y - gap), services: ys, dependants: places, notes };
}
