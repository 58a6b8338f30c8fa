import type { DependantView, DependencyList, DependencyView } from '../../protocol/protocol.ts';
import { byId } from '../dom.ts';
import { createRows } from '../rows.ts';
import { createDependantBox, createNoteBox, createServiceBox, healthOf } from './boxes.ts';
import { createEdges } from './edges.ts';
import { type Layout, layoutOf } from './layout.ts';

/** The services on the left, their dependants on the right, and a line for each dependency. */
interface DependencyPicture {
  show(list: DependencyList): void;
  /** Updates the countdowns. */
  tick(): void;
}

/** `search`: called with the name that the user has chosen. */
export function createDependencyPicture(now: () => number, search: (name: string) => void): DependencyPicture {
  const place = byId('dependencies-picture', HTMLElement);
  const edges = createEdges(byId('dependencies-edges', SVGSVGElement));
  const services = createRows({
    parent: byId('dependencies-services', HTMLElement),
    keyOf,
    create: (view: DependencyView) => ({ key: keyOf(view), ...createServiceBox(view) }),
    update: ({ key, show }, view) => show({ ...view, y: layout.services.get(key)?.y ?? 0 }, now()),
  });
  const dependants = createRows({
    parent: byId('dependencies-dependants', HTMLElement),
    keyOf: ({ id }) => id,
    create: (view: DependantView) => ({ key: view.id, ...createDependantBox(view, search) }),
    update: ({ key, show }, view) => show({ ...view, ...(layout.dependants.get(key) ?? nowhere) }, now()),
  });
  const notes = createRows({
    parent: byId('dependencies-notes', HTMLElement),
    keyOf,
    create: (view: DependencyView) => ({ key: keyOf(view), ...createNoteBox(() => search(keyOf(view))) }),
    update: ({ key, show }, view) => show({ ...view, y: layout.notes.get(key)?.y ?? 0 }, now()),
  });
  let layout: Layout = layoutOf({ services: [], dependants: [] });
  let drawn = '';
  /** The key of the box under the pointer or with the focus. */
  let chosen: string | undefined;

  /** The lines are drawn again only if they differ. */
  function drawEdges(views: readonly DependencyView[]): void {
    const health = new Map(views.map((view) => [keyOf(view), healthOf(view)]));
    const text = JSON.stringify([[...layout.dependants], [...health]]);
    if (text === drawn) return;
    drawn = text;
    edges.draw(layout, (service) => health.get(service) ?? 'healthy');
  }

  /** Emphasizes the chosen box with everything that it depends on, or that depends on it. */
  function emphasize(): void {
    const related = new Set(chosen === undefined ? [] : relatedTo(chosen));
    for (const { element, key } of boxes()) element.classList.toggle('related', related.has(key));
    edges.emphasize(chosen);
    place.classList.toggle('emphasized', related.size > 0);
  }

  function choose(target: EventTarget | null): void {
    const box = target instanceof Element ? target.closest('.dependency-box') : null;
    chosen = boxes().find(({ element }) => element === box)?.key;
    emphasize();
  }

  function boxes() {
    return [...services.all(), ...dependants.all()];
  }

  /** The keys of a box and of those that a line connects with it. */
  function relatedTo(key: string): string[] {
    const dependantsOf = [...layout.dependants].flatMap(([id, { services: its }]) => (its.includes(key) ? [id] : []));
    return [key, ...dependantsOf, ...(layout.dependants.get(key)?.services ?? [])];
  }

  for (const event of ['pointerover', 'focusin']) place.addEventListener(event, ({ target }) => choose(target));
  for (const event of ['pointerleave', 'focusout']) place.addEventListener(event, () => choose(null));
  return {
    show(list) {
      layout = layoutOf(list);
      place.style.height = `${layout.height}px`;
      services.place(list.services);
      dependants.place(list.dependants);
      notes.place(list.services.filter((view) => layout.notes.has(keyOf(view))));
      drawEdges(list.services);
      emphasize();
    },
    tick() {
      for (const box of services.all()) box.tick(now());
    },
  };
}

/** Of a dependant without a service. */
const nowhere = { y: 0, services: [] };

function keyOf({ namespace, service }: DependencyView): string {
  return `${namespace}/${service}`;
}
