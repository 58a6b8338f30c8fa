import assert from 'node:assert/strict';
import { z } from 'zod';
import { eventually } from '../eventually.ts';

import { KubeObject } from '../objects.ts';
import type { RestartScene } from './restartScene.ts';
import { isReady } from './workloads.ts';

const List = z.looseObject({ items: z.array(KubeObject) });
const marker = 'weeder.dev/recreates';

/** A restart scene with Jobs. */
export type JobScene = ReturnType<typeof jobSceneOf>;

export function jobSceneOf(scene: RestartScene) {
  const { cluster } = scene.ns;
  const path = scene.ns.path('apis/batch/v1', 'jobs');
  const listJobs = async () => List.parse(await cluster.api('GET', path)).items;
  const isCopy = ({ metadata }: KubeObject) => metadata.annotations?.[marker] !== undefined;
  const jobs = async () => (await listJobs()).filter((each) => !isCopy(each));
  const copies = async () => (await listJobs()).filter(isCopy);
  const job = async (name: string) => (await jobs()).find(({ metadata }) => metadata.name === name);
  return {
    ...scene,
    /** All Jobs of the namespace except the copies. */
    jobs,
    job,
    /** The copies that weeder makes of Jobs before it recreates them. */
    copies,
    /** Waits until the Job is recreated, its restart is recorded, and the copy is deleted. */
    untilRecreated: (name: string, beforeUid: string) =>
      eventually(
        async (saw) => {
          const [now, remaining] = [await job(name), await copies()];
          const state = now && (await scene.state('Job', name));
          saw([now?.metadata.uid, state, remaining.map(({ metadata }) => metadata.name)]);
          const isRecreated = now?.metadata.uid !== beforeUid && state?.workloadUid === now?.metadata.uid;
          return isRecreated && state?.target === undefined && remaining.length === 0 && now;
        },
        { what: `${name} recreated` },
      ),
    /** Creates a ConfigMap and a Job that uses it, waits until the Job is adopted and runs, and returns its uid. */
    async adopt(name: string, spec: object = {}) {
      await scene.put(name, { word: 'one' });
      await scene.make('Job', name, { spec });
      await scene.untilAdopted('Job', name);
      await eventually(async () => (await scene.pods(name)).some(isReady), { what: `a pod of ${name} that is ready` });
      const object = await job(name);
      assert(object);
      return object.metadata.uid;
    },
  };
}
