import type { ServerResponse } from 'node:http';
import type { Clock } from '@weeder/kube-runtime/base';
import { partsOf } from '@weeder/kube-runtime/objects';
import type { ActorPage, DependencyList, Moment, ObjectView, Overview, PageRef, ReplayClock } from '@weeder/live-page';
import type { InspectionEvent } from 'xstate';
import packageJson from '../../package.json' with { type: 'json' };
import type { Seen } from '../controller/contribution/contribution.ts';
import { type ControllerName, contributions, controllerNames, type Report } from '../controllers/controllers.ts';
import type { ReportProcess } from '../process/processLog.ts';
import { type ActorQuery, createActorIndex } from './actorIndex.ts';
import { type Connection, createConnection, heartbeatEvery } from './connection.ts';
import { createHistory, lastHour, wholeRecording } from './history.ts';
import { eventText, jsonEvent, listParts } from './messages.ts';
import type { PageSource } from './pageSource.ts';
import { createPageWork, type Pause } from './pageWork.ts';
import { createProcessMessages } from './processMessages.ts';
import { processMoment } from './processMoment.ts';
import { type Changes, type PolledService, pollServices } from './servicePoll.ts';
import { createActorSubscriptions } from './subscriptions.ts';
import { type DependencyQuery, dependencyList, workloadActorId } from './views/dependencyViews.ts';
import { objectPage } from './views/objectPage.ts';
import { composeOverview } from './views/overview.ts';
import { createPodReports } from './views/podReports.ts';
import type { ProcessFacts } from './views/processView.ts';
import type { Suggestions } from './views/suggestions.ts';
import { createWindowCounters } from './windowCounters.ts';

/**
 * The content of the open pages. While no page is open, it stores only the history (the last hour, or the whole
 * recording) and the newest windows.
 */
export interface LivePage {
  readonly report: Report;
  readonly reportProcess: ReportProcess;
  /** An inspector for `createActor`. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Shows this source on the pages from now on. */
  watch(source: PageSource): void;
  /** In a replay, time was set back: the pages get everything again. */
  forget(): void;
  /** In a replay, time has passed, or its speed has changed. */
  sendClock(): void;
  actors(query: ActorQuery): Promise<ActorPage>;
  /** The lists of the controllers, by their paths. */
  lists(): readonly (readonly [path: string, list: (query: URLSearchParams) => Promise<object>])[];
  dependencies(query: DependencyQuery): Promise<DependencyList>;
  readonly suggestions: Suggestions;
  object(page: PageRef): Promise<ObjectView>;
  overview(): Promise<Overview>;
  /** Whether another page may be opened. */
  hasRoom(): boolean;
  /** Sends a page the current state, and then each change, including those of its chosen actor. */
  connect(response: ServerResponse, chosen: string | undefined): void;
  load(): PageLoad;
}

/** The cost of the open pages. */
interface PageLoad {
  readonly pages: number;
  /** The number of bytes that browsers have not read yet. */
  readonly waiting: number;
  /** The number of messages dropped for browsers that do not keep up. */
  readonly leftOut: number;
  /** How often everything was polled. */
  readonly polls: number;
}

interface LivePageOptions {
  /** The time that the page shows. */
  readonly clock: Pick<Clock, 'now'>;
  /** Real time, which determines when the pages are updated. */
  readonly pace: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** The speed of the shown time as a multiple of real time. Default: 1. */
  readonly speed?: number;
  /** The page shows that nothing is changed in the cluster. Default: false. */
  readonly isDryRun?: boolean;
  /** A replay: its state, and the moments of the whole recording, oldest first. */
  readonly replay?: { readonly clock: () => ReplayClock; readonly moments: readonly Moment[] };
  /** The process that the page shows; undefined: a replay. */
  readonly process?: () => ProcessFacts;
  readonly onBroken: (error: unknown) => void;
}

export const maxPages = 16;
/** From the end of one poll to the next; milliseconds. A poll of more services takes longer, so it is rarer. */
const shortestInterval = 250;
const longestInterval = 2000;
const intervalPerService = 1;
/** The time of which the overview says what was done; milliseconds. */
const overviewRange = 3_600_000;
/** The maximum number of events on the page of an object. */
const maxMoments = 50;
/** If there are more changes, all services are sent as one list. */
const maxChanges = 200;

export function createLivePage(options: LivePageOptions): LivePage {
  const { clock, pace, speed = 1, replay, isDryRun = false, onBroken, process } = options;
  const processMessages = createProcessMessages(process, send);
  const history = createHistory(replay === undefined ? lastHour : wholeRecording);
  for (const moment of replay?.moments ?? []) history.add(moment);
  const tallies = createWindowCounters();
  const podReports = createPodReports();
  const index = createActorIndex(() => source);
  const work = createPageWork(() => source?.hasUrgentWork?.() === true);
  /** The open pages; `connection` is undefined until the first poll is done. */
  const pages = new Map<ServerResponse, { readonly chosen: string | undefined; connection: Connection | undefined }>();
  const timers = new Map<'poll' | 'beat', ReturnType<Clock['setTimeout']>>();
  let source: PageSource | undefined;
  let services: ReadonlyMap<string, PolledService> | undefined;
  let suggestions: Promise<Suggestions> | undefined;
  let polling: Promise<void> | undefined;
  let polls = 0;

  const chosenActors = createActorSubscriptions({
    source: () => source,
    now: () => clock.now(),
    send(id, text) {
      for (const { chosen, connection } of pages.values()) if (chosen === id) connection?.send(text);
    },
  });

  function send(text: string): void {
    for (const { connection } of pages.values()) connection?.send(text);
  }

  function add(moment: Moment): void {
    const json = replay === undefined ? history.add(moment) : JSON.stringify(moment);
    if (pages.size > 0) send(jsonEvent('moment', json));
  }

  function* everything(chosen: string | undefined): Generator<string> {
    if (replay !== undefined) yield eventText({ type: 'clock', ...replay.clock() });
    yield* processMessages.all();
    yield* listParts('services', textsOf(services?.values() ?? []));
    yield* listParts(
      'history',
      history.texts((about) => services?.has(about) === true),
    );
    if (chosen !== undefined) yield chosenActors.message(chosen);
  }

  const pollAll = work.computation((_query: '', pause) =>
    pollServices(source, tallies, chosenActors, services ?? new Map(), pause),
  );

  async function poll(): Promise<void> {
    polls += 1;
    const changes = await pollAll('');
    if (pages.size === 0) return;
    services = changes.all;
    processMessages.send(source);
    sendChanges(changes);
    begin();
    const interval = Math.min(longestInterval, Math.max(shortestInterval, intervalPerService * services.size));
    timers.set('poll', pace.setTimeout(startPolling, interval));
  }

  function startPolling(): void {
    polling = poll()
      .catch(onBroken)
      .finally(() => {
        polling = undefined;
        if (pages.size > 0 && services === undefined) startPolling();
      });
  }

  /** Without an open page, nothing is polled. */
  async function currentServices(pause: Pause): Promise<ReadonlyMap<string, PolledService>> {
    return services ?? (await pollServices(source, tallies, chosenActors, new Map(), pause)).all;
  }

  async function see(pause: Pause): Promise<Seen> {
    const services = [...(await currentServices(pause)).values()].map(({ view }) => view);
    return { now: clock.now(), services, since: (actor) => source?.since(actor) };
  }

  const overview = work.computation(async (_query: '', pause) => {
    const seen = await see(pause);
    const { now } = seen;
    const running = { isDryRun, config: process?.().config };
    return await composeOverview(source, seen, history.counts(now - overviewRange, now), running);
  });

  /** The code is loaded only for a page that asks for it. */
  async function loadSuggestions(): Promise<Suggestions> {
    const { createSuggestions } = await import('./views/suggestions.ts');
    return createSuggestions({ source: () => source, config: () => process?.().config, clock, work });
  }

  function rootIds(): ReadonlySet<string> {
    return new Set([...(source?.actors() ?? [])].map(({ id }) => id));
  }

  function sendChanges({ all: services, changed, removed }: Changes): void {
    if (changed.length + removed.length > maxChanges) {
      for (const { connection } of pages.values())
        connection?.sendParts(listParts('services', textsOf(services.values())));
      return;
    }
    for (const json of changed) send(jsonEvent('service', json));
    for (const key of removed) {
      const { namespace, name: service } = partsOf(key);
      send(eventText({ type: 'serviceRemoved', namespace, service }));
    }
  }

  /** Starts the pages that have waited for the first poll. */
  function begin(): void {
    if (services === undefined) return;
    for (const [response, page] of pages)
      page.connection ??= createConnection(response, () => everything(page.chosen), pace);
  }

  function beat(): void {
    const text = eventText({ type: 'beat', now: clock.now() });
    for (const { connection } of pages.values()) connection?.heartbeat(text);
    timers.set('beat', pace.setTimeout(beat, heartbeatEvery));
  }

  function listsOf<K extends ControllerName>(of: K) {
    const lists = Object.entries(contributions[of].lists ?? {});
    return lists.map(([path, list]) => {
      const read = work.computation((query: string) =>
        list(source?.shown(of), new URLSearchParams(query), (actor) => source?.since(actor)),
      );
      return [path, (query: URLSearchParams) => read(query.toString())] as const;
    });
  }

  function leave(response: ServerResponse): void {
    const page = pages.get(response);
    if (page === undefined) return;
    pages.delete(response);
    if (page.chosen !== undefined) chosenActors.remove(page.chosen);
    if (pages.size > 0) return;
    for (const timer of timers.values()) pace.clearTimeout(timer);
    timers.clear();
    services = undefined;
    index.forget();
  }

  return {
    report(of, event) {
      const now = clock.now();
      tallies.note(event, now);
      podReports.note(event, now);
      const moment = contributions[of].momentOf(event, now);
      if (moment !== undefined) add(moment);
    },
    reportProcess: (event) => add(processMoment(event, clock.now())),
    inspect: chosenActors.inspect,
    watch(newSource) {
      source = newSource;
      index.forget();
      chosenActors.forget();
    },
    forget() {
      tallies.clear();
      podReports.clear();
      for (const { connection } of pages.values()) connection?.renew();
    },
    sendClock() {
      if (replay !== undefined && pages.size > 0) send(eventText({ type: 'clock', ...replay.clock() }));
    },
    actors: work.computation(index.find),
    lists: () => controllerNames.flatMap(listsOf),
    dependencies: work.computation(async (query: DependencyQuery, pause) => {
      const polled = await currentServices(pause);
      const dependencies = source?.shown('weeder')?.dependencies() ?? [];
      return await dependencyList(dependencies, (key) => polled.get(key)?.view, rootIds(), query, pause);
    }),
    async suggestions(query) {
      suggestions ??= loadSuggestions();
      return (await suggestions)(query);
    },
    object: work.computation(async (page: PageRef, pause) => {
      const moments = history.ofObject(page, clock.now(), maxMoments);
      const actors = rootIds();
      const isManaged = (workload: string) => actors.has(workloadActorId(workload));
      const seen = { ...(await see(pause)), moments, isManaged };
      return await objectPage(source, podReports, page, seen, pause);
    }),
    overview: () => overview(''),
    hasRoom: () => pages.size < maxPages,
    connect(response, chosen) {
      pages.set(response, { chosen, connection: undefined });
      if (chosen !== undefined) chosenActors.add(chosen);
      response.on('close', () => leave(response));
      const mode = replay === undefined ? 'live' : 'replay';
      const dryRun = isDryRun ? { isDryRun } : {};
      const { version } = packageJson;
      response.write(eventText({ type: 'hello', version, mode, now: clock.now(), speed, ...dryRun }));
      if (pages.size === 1) timers.set('beat', pace.setTimeout(beat, heartbeatEvery));
      if (pages.size === 1 && polling === undefined) startPolling();
      else begin();
    },
    load() {
      const connections = [...pages.values()].flatMap(({ connection }) => connection ?? []);
      const sum = (of: (connection: Connection) => number) => connections.reduce((total, each) => total + of(each), 0);
      return { pages: pages.size, waiting: sum((each) => each.waiting), leftOut: sum((each) => each.leftOut), polls };
    },
  };
}

function textsOf(services: Iterable<PolledService>): string[] {
  return [...services].map(({ json }) => json);
}
