import { before, suite } from 'node:test';
import { sharedControlPlane } from '../cluster/support/namespace.ts';
import { suiteCleanup } from '../cluster/support/plane/suiteCleanup.ts';
import { startFlux } from './support/flux.ts';
import type { GitOpsTool } from './support/gitOpsTool.ts';
import { testInstallation } from './support/installed.ts';
import { testApplications } from './support/observed.ts';
import { testRestarts } from './support/restarted.ts';

suite('beside Flux', () => {
  const t = suiteCleanup();
  let flux: GitOpsTool;
  before(async () => {
    flux = await startFlux(t, await sharedControlPlane());
  });

  testInstallation(() => flux);
  testRestarts(() => flux);
  testApplications(() => flux, { wait: true });
});
