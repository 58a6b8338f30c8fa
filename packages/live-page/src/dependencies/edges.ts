import type { Health } from '../../protocol/health.ts';
import { createSvg } from '../dom.ts';
import { boxHeight, type Layout } from './layout.ts';

interface Line {
  readonly health: Health;
  /** It is dashed. */
  readonly isSuggested: boolean;
}

/** The lines between the services and their dependants. */
interface Edges {
  draw(layout: Layout, lineOf: (service: string, dependant: string) => Line): void;
  /** Emphasizes the lines of this service or dependant. */
  emphasize(key: string | undefined): void;
}

/** The picture is as wide as the space between the boxes, and its units stretch with it. */
const width = 100;

export function createEdges(svg: SVGSVGElement): Edges {
  let lines: readonly { readonly ends: readonly string[]; readonly path: SVGPathElement }[] = [];
  return {
    draw({ height, services, dependants }, lineOf) {
      svg.setAttribute('viewBox', `0 0 ${width} ${Math.max(1, height)}`);
      lines = [...dependants].flatMap(([id, { y, services: keys }]) =>
        keys.map((service) => {
          const d = curve(services.get(service)?.y ?? 0, y);
          const { health, isSuggested } = lineOf(service, id);
          const attributes = { d, 'data-health': health, ...(isSuggested ? { 'stroke-dasharray': '6 5' } : {}) };
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
