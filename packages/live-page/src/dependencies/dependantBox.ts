import type { DependantView } from '../../protocol/protocol.ts';
import { pageAddress } from '../address.ts';
import { create, setText } from '../dom.ts';
import { count } from '../format.ts';
import { type Box, chooser } from './boxes.ts';

/** `sources`: its services as `namespace/service`, each with what says that it depends on it; empty: unknown. */
export type ShownDependant = DependantView & { readonly sources: ReadonlyMap<string, string> };

/** `onChosen`: called with the id when the user chooses a box without a page of its own. */
export function createDependantBox(first: ShownDependant, onChosen: (id: string) => void): Box<ShownDependant> {
  const { id, by, name, namespaces } = first;
  const [kind, scope, short] = by === 'declared' ? partsOf(name) : ['pods', '', name];
  const where = by === 'declared' ? '' : `, in ${namespaces === 'all' ? 'all namespaces' : namespaces.join(', ')}`;
  const detail = create('span', { class: 'detail' });
  const dependsOn = create('span', { class: 'unseen' });
  let actor = first.actor;
  let title = titleOf(actor);
  const element = create('li', { class: 'dependency-box' }, title, detail, dependsOn);

  /** Opens the page of the dependant, or finds it if it has none. */
  function titleOf(shownActor: string | undefined): HTMLElement {
    const made =
      shownActor === undefined
        ? chooser('', () => onChosen(id))
        : create('a', { class: 'name', attributes: { href: pageAddress({ type: 'workload', id }) } });
    made.append(create('span', { class: 'soft', text: scope }), short);
    made.title = id;
    return made;
  }

  return {
    element,
    show({ y, crashLooping, workloads, sources, ...changed }) {
      if (changed.actor !== actor) {
        actor = changed.actor;
        const next = titleOf(actor);
        title.replaceWith(next);
        title = next;
      }
      element.style.top = `${y}px`;
      element.dataset['health'] = crashLooping > 0 ? 'degraded' : 'healthy';
      const others = workloads.filter((workload) => workload !== name);
      const of = others.length === 0 ? '' : ` of ${others.join(', ')}`;
      const source = [`${kind}, ${by}${bySources(sources)}${where}`];
      setText(
        detail,
        [...(crashLooping === 0 ? [] : [`${count(crashLooping)} crash-looping${of}`]), ...source].join(', '),
      );
      setText(dependsOn, `depends on ${[...sources.keys()].join(', ')}`);
    },
  };
}

/** ` by label`; with the services, if they have different sources: ` by label (shop/db), by annotation (shop/cache)`. */
function bySources(sources: ReadonlyMap<string, string>): string {
  const bySource = Map.groupBy([...sources.keys()], (service) => sources.get(service) ?? '');
  const known = [...bySource].filter(([source]) => source !== '');
  return known
    .map(([source, services]) => ` by ${source}${bySource.size === 1 ? '' : ` (${services.join(', ')})`}`)
    .join(',');
}

/** The kind of `Deployment shop/web`, its namespace, and its name. */
function partsOf(workload: string): readonly [string, string, string] {
  const {
    kind = '',
    scope = '',
    name = workload,
  } = /^(?<kind>\S+) (?<scope>.*\/)(?<name>.*)$/.exec(workload)?.groups ?? {};
  return [kind, scope, name];
}
