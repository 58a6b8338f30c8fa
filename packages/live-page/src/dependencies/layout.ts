import type { DependencyList } from '../../protocol/protocol.ts';

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

/** The height of a box in pixels, as in page.css. */
export const boxHeight = 48;
const pitch = 56;
/** The space between one service with its dependants and the next. */
const gap = 12;

/**
 * Each service is in line with the first of its own dependants: those that depend on none of the services above it. A
 * box moves only if boxes above it come or go, or if its service goes down or recovers.
 */
export function layoutOf({ services, dependants }: Pick<DependencyList, 'services' | 'dependants'>): Layout {
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
      end += pitch;
    }
    if (total > ids.length) {
      notes.set(key, { y: end });
      end += pitch;
    }
    y = Math.max(end, y + pitch) + gap;
  }
  return { height: Math.max(0, y - gap), services: ys, dependants: places, notes };
}
