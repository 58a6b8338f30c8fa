import { applicationSpecs, configMap } from '../../../support/scene/applications.ts';
import { eventually } from '../eventually.ts';
import { create } from '../manifests.ts';
import type { TestNamespace } from '../namespace.ts';
import { contest } from '../observer/contest.ts';
import { pathOf } from '../observer/observedObjects.ts';
import { applicationOf, edit, makeTenant } from '../observer/observerScene.ts';
import type { RunningWeeder } from '../weeder.ts';
import { tomorrow } from '../windows.ts';

const [contested, manager] = ['contested', 'evil-bot'];

/** The Applications of the scene on a real API server. */
export async function createOutageApplications(ns: TestNamespace) {
  const { cluster } = ns;
  await makeTenant(ns);
  await cluster.api('POST', ns.path('api/v1', 'configmaps'), configMap('detect', 'other'));
  await Promise.all(
    [...applicationSpecs(tomorrow())].map(([name, spec]) => create(cluster, applicationOf(ns, spec, name))),
  );
  const path = pathOf(ns, 'ConfigMap', contested);
  return {
    /** Another manager changes an object back until the next correction waits. */
    async breakThem(weeder: Pick<RunningWeeder, 'log'>) {
      await eventually(() => cluster.api('GET', path), { what: 'the object of the contested Application' });
      await contest({ ns }, weeder, contested, manager);
    },
    /** It changes the object again. Without effect while the correction waits. */
    async contestAgain() {
      await edit(ns, path, { data: { a: 'theirs' } }, manager);
    },
  };
}
