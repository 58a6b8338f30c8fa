import type { Health } from '../../protocol/health.ts';
import { createSvg } from '../dom.ts';
import { boxHeight, type Layout } from './layout.ts';

/** The lines between the services and their dependants. */
interface Edges {
  draw(layout: Layout, healthOf: (service: string) => Health): void;
  /** Emphasizes the lines of this service or dependant. */
  emphasize(key: string | undefined): void;
}

/** The picture is as wide as the space between the boxes, and its units stretch with it. */
const width = 100;

export function createEdges(svg: SVGSVGElement): Edges {
  let lines: readonly { readonly ends: readonly string[]; readonly path: SVGPathElement }[] = [];
  return {
    draw({ height, services, dependants }, healthOf) {
      svg.setAttribute('viewBox', `0 0 ${width} ${Math.max(1, height)}`);
      lines = [...dependants].flatMap(([id, { y, services: keys }]) =>
        keys.map((service) => {
          const d = curve(services.get(service)?.y ?? 0, y);
          const attributes = { d, 'data-health': healthOf(service) };
          return { ends: [service, id], path: createSvg('path', { attributes }) };
        }),
      );
      svg.replaceChildren(...lines.map(({ path }) => path));
    },
    emphasize(key) {
      for (const { ends, path } of lines) path.classList.toggle('related', key !== undefined && ends.includes(key));
    },
  };
}

function curve(service: number, dependant: number): string {
  const [from, to] = [service + boxHeight / 2, dependant + boxHeight / 2];
  return `M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`;
}
