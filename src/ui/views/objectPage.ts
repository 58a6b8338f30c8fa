import { partsOf } from '@weeder/kube-runtime/objects';
import {
  type ActorView,
  nameOfPage,
  type ObjectPart,
  type ObjectType,
  type ObjectView,
  type PageRef,
} from '@weeder/live-page';
import type { SeenObject } from '../../controller/contribution/contribution.ts';
import { type ControllerName, contributions, controllerNames } from '../../controllers/controllers.ts';
import { rootOf, viewOf } from '../actorTree.ts';
import type { PageSource } from '../pageSource.ts';
import type { Pause } from '../pageWork.ts';
import { podObject } from './podObject.ts';
import type { PodReports } from './podReports.ts';

/** Composes the page of an object from what the controller that knows it says. */
export async function objectPage(
  source: PageSource | undefined,
  reports: Pick<PodReports, 'of'>,
  page: PageRef,
  seen: SeenObject,
  pause: Pause,
): Promise<ObjectView> {
  const { type, id } = page;
  const part = await describe();
  return { ...page, ...part, actor: await actorOf(part), moments: seen.moments };

  async function describe(): Promise<ObjectPart> {
    if (type === 'pod') {
      const { namespace, name } = partsOf(id);
      return podObject(namespace, name, source?.shown('weeder')?.pod(namespace, name), reports.of(namespace, name));
    }
    const parts = await Promise.all(controllerNames.map((of) => partOf(of, source, type, id, seen)));
    return parts.find((part) => part !== undefined) ?? unknown(page);
  }

  async function actorOf({ actor }: ObjectPart): Promise<ActorView | undefined> {
    if (source === undefined || actor === undefined) return undefined;
    const found = await rootOf(source.actors(), actor, pause);
    return found && viewOf(source, found);
  }
}

async function partOf<K extends ControllerName>(
  of: K,
  source: Pick<PageSource, 'shown'> | undefined,
  type: ObjectType,
  id: string,
  seen: SeenObject,
): Promise<ObjectPart | undefined> {
  const shown = source?.shown(of);
  return shown === undefined ? undefined : await contributions[of].objects?.[type]?.(shown, id, seen);
}

function unknown(page: PageRef): ObjectPart {
  return {
    object: nameOfPage(page),
    words: 'Not known: it does not exist, no controller of this weeder is responsible for it, or another replica leads',
    since: undefined,
    next: undefined,
    facts: [],
    sections: [],
    actor: undefined,
  };
}
