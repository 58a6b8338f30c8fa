import type { Moment } from '../../protocol/moment.ts';
import type { PodServiceView, PodView } from '../../protocol/podView.ts';
import { readAddress } from '../address.ts';
import { byId, create, setText } from '../dom.ts';
import { count, instant } from '../format.ts';
import { createPolledList } from '../polledList.ts';
import { createRows } from '../rows.ts';
import { setTimedText, timedText, timeElement } from '../times.ts';
import { linkTo } from '../views.ts';

interface PodPage {
  /** Requests the data again. */
  refresh(): void;
}

/**
 * The page of the pod that the address names, `#pod=shop/web-0`: why it was, or was not, deleted; its services; and its
 * events. It is requested while it is visible.
 */
export function createPodPage(now: () => number): PodPage {
  const machine = byId('pod-machine', HTMLAnchorElement);
  const none = byId('pod-services-none', HTMLElement);
  const services = createRows({
    parent: byId('pod-services', HTMLUListElement),
    keyOf: nameOf,
    create: createServiceLine,
    update: (line, service) => line.show(service, now()),
  });
  const moments = createRows({
    parent: byId('pod-moments', HTMLOListElement),
    keyOf: (moment: Moment) => `${moment.t} ${moment.what} ${moment.about} ${moment.window}`,
    create: (moment) => ({ element: momentLine(moment) }),
  });
  let pod: PodView | undefined;

  function show(): void {
    const id = idInAddress();
    if (id === undefined) return;
    setText(byId('pod-title', HTMLElement), `Pod ${id}`);
    document.title = `Pod ${id} · weeder`;
    const shown = pod !== undefined && `${pod.namespace}/${pod.name}` === id ? pod : undefined;
    setTimedText(byId('pod-sentence', HTMLElement), shown?.sentence ?? '', now());
    services.place(shown?.services ?? []);
    moments.place(shown?.moments.toReversed() ?? []);
    const more = shown === undefined ? 0 : shown.total - shown.services.length;
    setText(none, more > 0 ? `${count(more)} more are not shown.` : 'weeder knows none now.');
    none.hidden = more === 0 && shown?.total !== 0;
    byId('pod-none', HTMLElement).hidden = shown?.moments.length !== 0;
    machine.hidden = shown?.actor === undefined;
    linkTo(shown?.actor, machine);
  }

  const refresh = createPolledList<PodView>({
    path: pathOfAddress,
    take(view) {
      pod = view;
    },
    show,
  });
  return {
    refresh() {
      show();
      refresh();
    },
  };
}

/** `shop/web-0`; undefined: another view is shown. */
function idInAddress(): string | undefined {
  const { view, id = '' } = readAddress(location.hash);
  return view === 'pod' ? id : undefined;
}

function pathOfAddress(): string {
  const [namespace = '', name = ''] = (idInAddress() ?? '').split('/');
  return `/pod?${new URLSearchParams({ namespace, name })}`;
}

function nameOf({ namespace, service }: PodServiceView): string {
  return `${namespace}/${service}`;
}

function createServiceLine(first: PodServiceView) {
  const name = nameOf(first);
  const href = `#services?${new URLSearchParams({ search: name })}`;
  const state = create('span', { class: 'state' });
  const link = create('a', { text: `Service ${name}`, attributes: { href } });
  return {
    element: create('li', {}, link, new Text(' '), state),
    show(service: PodServiceView, now: number): void {
      state.dataset['health'] = healthOf(service);
      setTimedText(state, inWords(service), now);
    },
  };
}

function healthOf({ isReady, window }: PodServiceView): string {
  if (!isReady) return 'degraded';
  return window === 'none' ? 'healthy' : 'progressing';
}

/** `Down since …, window held` */
function inWords({ isReady, exists, since, window }: PodServiceView): string {
  const state = exists ? (isReady ? 'Ready' : 'Down') : 'Does not exist';
  const time = since === undefined ? '' : ` since ${instant(since)}`;
  return `${state}${time}${window === 'none' ? '' : `, window ${window}`}`;
}

function momentLine({ t, what, words, about, detail }: Moment): HTMLLIElement {
  const event = create('span', { class: 'event', text: words, attributes: { title: what } });
  const rest = create('span', { class: 'soft' }, ...timedText(detail === '' ? about : `${about}: ${detail}`, t));
  return create('li', {}, timeElement(t), event, rest);
}
