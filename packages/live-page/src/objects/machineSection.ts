import type { ActorView } from '../../protocol/actorView.ts';
import { machineAddress } from '../address.ts';
import { byId, setText } from '../dom.ts';
import { innermost, statePath } from '../format.ts';
import { createPicture } from '../machine/picture.ts';

/** The last section of the page of an object: the statechart of its actor, with the active states. */
export function createMachineSection(): { readonly show: (actor: ActorView | undefined) => void } {
  const section = byId('object-machine', HTMLElement);
  const picture = createPicture(byId('object-picture', HTMLElement));
  return {
    show(actor) {
      section.hidden = actor === undefined;
      if (actor === undefined) {
        picture.clear();
        return;
      }
      setText(byId('object-active', HTMLElement), innermost(actor.states).map(statePath).join(', '));
      byId('object-transitions', HTMLAnchorElement).href = machineAddress(actor.id);
      picture.light(actor.states);
      picture.show(actor.machine);
    },
  };
}
