import type { SuggestionView } from '../../protocol/protocol.ts';
import { pageAddress } from '../address.ts';
import { create, setText } from '../dom.ts';
import { count } from '../format.ts';
import { type Box, chooser } from './boxes.ts';
import { type ShownDependant, serviceKey } from './overlay.ts';

/** `onChosen`: called with the id when the user chooses a box without a page of its own. */
export function createDependantBox(first: ShownDependant, onChosen: (id: string) => void): Box<ShownDependant> {
  const { id, by, name, namespaces } = first;
  const [kind, scope, short] = by === 'configured' ? ['pods', '', name] : partsOf(name);
  const where = by !== 'configured' ? '' : `, in ${namespaces === 'all' ? 'all namespaces' : namespaces.join(', ')}`;
  const detail = create('span', { class: 'detail' });
  const dependsOn = create('span', { class: 'unseen' });
  const reasons = create('div');
  let actor = first.actor;
  let title = titleOf(actor);
  const element = create('li', { class: `dependency-box ${by}` }, title, detail, dependsOn, reasons);

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
    show({ y, crashLooping, workloads, sources, suggestions, ...changed }) {
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
      setText(dependsOn, sources.size === 0 ? '' : `depends on ${[...sources.keys()].join(', ')}`);
      const texts = suggestions.map(reasonOf);
      if (texts.join('') !== reasons.textContent) reasons.replaceChildren(...texts.map(paragraph));
    },
  };
}

function paragraph(text: string): HTMLElement {
  return create('div', {}, create('small', { class: 'soft', text }));
}

function reasonOf(suggestion: SuggestionView): string {
  const { confidence, reason, lacks } = suggestion;
  const service = serviceKey(suggestion);
  return `Seems to depend on ${service}, with ${confidence} confidence: ${reason}. To accept, set on its pods: ${lacks}.`;
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
  } = /^(?<kind>\S+) (?<scope>.*\/)(?<name>[^/]*)$/.exec(workload)?.groups ?? {};
  return [kind, scope, name];
}
