import type { RestartConfig } from '../../src/config/restart.ts';
import { openRecorder } from '../../src/recorder.ts';
import { recordingRestarts } from '../../src/recording/recordRestart.ts';
import { recordingOf } from './recording.ts';
import { restartConfig } from './restartSettings.ts';
import { type RestartWorld, restartWorld } from './restartWorld.ts';

export interface RecordedRestartsOptions {
  readonly config?: RestartConfig;
  readonly limit?: number;
  readonly oldFiles?: number;
}

/** Records into a file what restart control does while this happens to its world. */
export async function recordRestarts(
  file: string,
  happen: (world: RestartWorld) => Promise<void>,
  { config = restartConfig(), ...limits }: RecordedRestartsOptions = {},
): Promise<RestartWorld> {
  const base = recordingOf(file);
  const opened = await openRecorder({ ...base, ...limits, config: { services: new Map(), restart: config } });
  if (!opened.ok) throw new Error(opened.problem.sentence);
  const recorder = opened.value;
  const { clock } = base;
  const world = await restartWorld(config, { clock, createRestart: recordingRestarts(recorder.restarts) });
  await happen(world);
  world.stop();
  await recorder.close();
  return world;
}
