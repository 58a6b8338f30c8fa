import type { PageMessage } from '../protocol/protocol.ts';
import { createActors } from './actors/actors.ts';
import { createAnnouncements } from './announcements.ts';
import { createApplications } from './applications/applications.ts';
import { type ConnectionState, connect } from './connection.ts';
import { createDependencies } from './dependencies/dependencies.ts';
import { byId } from './dom.ts';
import { createMachineView } from './machine/machine.ts';
import { createObjectPage } from './objects/object.ts';
import { createOverview } from './overview/overview.ts';
import { showProcess } from './overview/process.ts';
import { createPageClock } from './pageClock.ts';
import { createReplayControls } from './replay.ts';
import { createServices } from './services/services.ts';
import { createStatus } from './status.ts';
import { createTimeline } from './timeline/timeline.ts';
import { dateTimes, followTimeZone } from './times.ts';
import { createViews, machineOf } from './views.ts';
import { createWorkloads } from './workloads.ts';

const clock = createPageClock();
const notices = byId('notices', HTMLElement);
const status = createStatus();
const overview = createOverview(clock.now);
const services = createServices(clock.now);
const dependencies = createDependencies(clock.now);
const workloads = createWorkloads(clock.now);
const applications = createApplications(clock.now);
const machine = createMachineView(clock.now);
const actors = createActors(clock.now);
const object = createObjectPage(clock.now);
const timeline = createTimeline({
  now: clock.now,
  notReady: services.notReady,
  onSeek: (to) => replay.seek(to),
  onDrag: (to) => replay.drag(to),
  announce: status.announce,
});
const announcements = createAnnouncements(status.announce);
const replay = createReplayControls(clock.now, {
  onSeek(to) {
    clock.stop(to);
    refresh();
  },
  onFailed(reason, last) {
    status.announce(`The replay did not accept the command: ${reason}`);
    if (last !== undefined) clock.follow(last);
  },
});
const connection = connect({ onMessage: take, onState: follow });
let chosen: string | undefined;
let receivedAt: number | undefined;

const views = createViews(() => {
  const actor = views.actor();
  const isUnchosen = () => views.shown() === 'machine' && views.actor() === undefined;
  if (isUnchosen()) void machine.open(isUnchosen);
  if (actor !== undefined && actor !== chosen) {
    chosen = actor;
    machine.choose(actor);
    connection.choose(actor);
  }
  refresh();
});

function follow(state: ConnectionState): void {
  if (state !== 'live' && receivedAt !== undefined) clock.stop(receivedAt);
  status.connection(state, receivedAt);
  refresh();
}

function take(message: PageMessage): void {
  switch (message.type) {
    case 'hello':
      status.hello(message.version, message.mode, message.isDryRun === true);
      clock.set(message.now, message.speed);
      announcements.forgetWindows();
      break;
    case 'beat':
      if (!replay.isShown()) clock.set(message.now);
      break;
    case 'leadership':
      status.leadership(message, clock.now());
      break;
    case 'process':
      showProcess(message.process, clock.now());
      break;
    case 'services':
      services.all(message.services);
      break;
    case 'service':
      services.one(message.service);
      break;
    case 'serviceRemoved':
      services.remove(message.namespace, message.service);
      break;
    case 'history':
      timeline.all(message.moments);
      refresh();
      break;
    case 'moment':
      timeline.one(message.moment);
      announcements.announce(message.moment);
      if (views.shown() === 'timeline') timeline.draw();
      break;
    case 'actor':
      if (chosen === message.actor.id || machineOf(chosen ?? '') === message.actor.machine)
        machine.show(message.actor, message.transition);
      break;
    case 'actorStopped':
      if (message.id === chosen) machine.stopped();
      break;
    case 'clock':
      clock.follow(message);
      timeline.follow(message);
      replay.follow(message);
      // A user who steps through the recording sees the result immediately.
      if (!message.isPlaying) refresh();
  }
  receivedAt = clock.now();
}

/** Updates the parts of the shown view that depend on the time. */
function refresh(): void {
  replay.tick();
  dateTimes(notices, clock.now());
  const shown = views.shown();
  if (shown === 'overview') overview.refresh();
  else if (shown === 'services') services.tick();
  else if (shown === 'dependencies') dependencies.refresh();
  else if (shown === 'workloads') workloads.refresh();
  else if (shown === 'applications') applications.refresh();
  else if (shown === 'machine') machine.tick();
  else if (shown === 'actors') actors.refresh();
  else if (shown === 'object') object.refresh();
  else timeline.draw();
}

followTimeZone();
setInterval(() => {
  if (!document.hidden) refresh();
}, 1000);
