import assert from 'node:assert/strict';
import { before } from 'node:test';
import { suiteCleanup } from '../plane/suiteCleanup.ts';
import type { WeederProcess } from '../weeder.ts';
import { type PodProgram, type RestartScene, setRestartScene } from './restartScene.ts';

/** Creates one scene with one weeder for all tests of the calling suite. */
export function suiteRestartScene(prefix: string, options: { section?: object; program?: PodProgram } = {}) {
  const t = suiteCleanup();
  let setup: { readonly scene: RestartScene; readonly weeder: WeederProcess } | undefined;
  before(async () => {
    const scene = await setRestartScene(t, prefix, options.program);
    setup = { scene, weeder: await scene.start(t, { config: scene.config(options.section) }) };
  });
  return () => {
    assert(setup, 'the scene is created before the first test of the suite');
    return setup;
  };
}
