import type { PageMessage } from '../../src/ui/protocol.ts';
import { createActors } from './actors.ts';
import { connect } from './connection.ts';
import { createMachineView } from './machine.ts';
import { createPageClock } from './pageClock.ts';
import { createReplayControls } from './replay.ts';
import { createServices } from './services.ts';
import { createStatus } from './status.ts';
import { createTimeline } from './timeline.ts';
import { createViews } from './views.ts';

const clock = createPageClock();
const status = createStatus();
const services = createServices(clock.now);
const machine = createMachineView(clock.now);
const actors = createActors();
const timeline = createTimeline(clock.now);
const replay = createReplayControls(clock.now, () => status.announce('The replay did not take that.'));
const connection = connect({ onMessage: take, onState: status.connection });
let chosen: string | undefined;

const views = createViews(() => {
  const actor = views.actor();
  if (actor !== chosen) {
    chosen = actor;
    machine.choose(actor);
    connection.choose(actor);
  }
  refresh();
});

function take(message: PageMessage): void {
  switch (message.type) {
    case 'hello':
      status.hello(message.version, message.mode);
      clock.set(message.now);
      break;
    case 'services':
      services.all(message.services);
      break;
    case 'service':
      services.one(message.service);
      break;
    case 'serviceGone':
      services.gone(message.namespace, message.service);
      break;
    case 'history':
      timeline.all(message.moments);
      refresh();
      break;
    case 'moment':
      timeline.one(message.moment);
      if (views.shown() === 'timeline') timeline.draw();
      break;
    case 'actor':
      if (message.actor.id === chosen) machine.show(message.actor, message.transition);
      break;
    case 'actorGone':
      if (message.id === chosen) machine.gone(message.id);
      break;
    case 'clock':
      clock.follow(message);
      timeline.follow(message);
      replay.follow(message);
  }
}

/** What time alone changes, in the view that is seen. */
function refresh(): void {
  replay.tick();
  const shown = views.shown();
  if (shown === 'services') services.tick();
  else if (shown === 'machine') machine.tick();
  else if (shown === 'actors') actors.refresh();
  else timeline.draw();
}

setInterval(() => {
  if (!document.hidden) refresh();
}, 1000);
