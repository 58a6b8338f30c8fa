import { byId } from '../dom.ts';
import { createRows } from '../rows.ts';
import { createNoteBox, createServiceBox, healthOf } from './boxes.ts';
import { createDependantBox } from './dependantBox.ts';
import { createEdges } from './edges.ts';
import { boxHeight, type Layout, layoutOf, noteKey } from './layout.ts';
import { type ShownDependant, type ShownDependencies, type ShownService, serviceKey } from './overlay.ts';

/** The services on the left, their dependants on the right, and a line for each dependency. */
interface DependencyPicture {
  show(list: ShownDependencies): void;
  /** Updates the countdowns. */
  tick(): void;
}

/** `search`: called with the name that the user has chosen. */
export function createDependencyPicture(now: () => number, search: (name: string) => void): DependencyPicture {
  const place = byId('dependencies-picture', HTMLElement);
  const edges = createEdges(byId('dependencies-edges', SVGSVGElement));
  const services = createRows({
    parent: byId('dependencies-services', HTMLElement),
    // One that is no longer only suggested gets another box.
    keyOf: (view) => `${view.view === undefined} ${serviceKey(view)}`,
    create: (view: ShownService) => ({ key: serviceKey(view), ...createServiceBox(view) }),
    update: ({ key, show }, view) => show({ ...view, y: layout.services.get(key)?.y ?? 0 }, now()),
  });
  const dependants = createRows({
    parent: byId('dependencies-dependants', HTMLElement),
    keyOf: ({ id, by }) => `${by} ${id}`,
    create: (view: ShownDependant) => ({ key: view.id, ...createDependantBox(view, search) }),
    update: ({ key, show }, view) => show({ ...view, y: layout.dependants.get(key)?.y ?? 0 }, now()),
  });
  const notes = createRows({
    parent: byId('dependencies-notes', HTMLElement),
    keyOf: serviceKey,
    create: (view: ShownService) => ({
      key: noteKey(serviceKey(view)),
      ...createNoteBox(() => search(serviceKey(view))),
    }),
    update: ({ show }, view) => show({ ...view, y: layout.notes.get(serviceKey(view))?.y ?? 0 }, now()),
  });
  let layout: Layout = layoutOf({ services: [], dependants: [] });
  /** Of the shown boxes, by key: in a narrow window their texts are wrapped. */
  let heights: ReadonlyMap<string, number> = new Map();
  let drawn = '';
  /** The key of the box under the pointer or with the focus. */
  let chosen: string | undefined;

  /** The lines are drawn again only if they differ. */
  function drawEdges(views: readonly ShownService[]): void {
    const lines = new Map(
      views.map((view) => [serviceKey(view), { health: healthOf(view), suggested: view.suggested }]),
    );
    const text = JSON.stringify([[...layout.dependants], views.map((view) => [healthOf(view), [...view.suggested]])]);
    if (text === drawn) return;
    drawn = text;
    edges.draw(layout, (service, dependant) => {
      const { health = 'healthy', suggested } = lines.get(service) ?? {};
      return { health, isSuggested: suggested?.has(dependant) === true };
    });
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
  function arrange(list: ShownDependencies): void {
    layout = layoutOf(list, (key) => heights.get(key) ?? boxHeight);
    place.style.height = `${layout.height}px`;
    services.place(list.services);
    dependants.place(list.dependants);
    notes.place(list.services.filter((view) => layout.notes.has(serviceKey(view))));
  }

  /** Whether a box has another height than it was arranged with. */
  function measure(): boolean {
    const before = heights;
    heights = new Map([...boxes(), ...notes.all()].map(({ key, element }) => [key, element.offsetHeight]));
    return [...heights].some(([key, height]) => height !== (before.get(key) ?? boxHeight));
  }

  return {
    show(list) {
      arrange(list);
      if (measure()) arrange(list);
      drawEdges(list.services);
      emphasize();
    },
    tick() {
      for (const box of services.all()) box.tick(now());
    },
  };
}
