import { suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { eventually, remainsTrue } from '../../support/eventually.ts';
import { customKind } from '../../support/observer/customKind.ts';
import { setObserverScene } from '../../support/observer/observerScene.ts';

const text = { type: 'string' };
const items = { type: 'object', properties: { selector: text, id: text } };
const desired = [{ selector: 'a' }, { selector: 'b' }];
const filledIn = desired.map((each) => ({ ...each, id: 'provider' }));

suite('a list without keys, on a real API server', { concurrency: true }, () => {
  for (const [what, bounds, expected] of [
    ['counts as a whole if both bounds are its length: what a provider fills in is drift', [2, 2], desired],
    ['with 0 as the maximum does not: what a provider fills in stays', [2, 0], filledIn],
  ] as const)
    test(what, async (t) => {
      const scene = await setObserverScene(t, 'unkeyed');
      const kind = customKind(scene.ns);
      await kind.define({ parts: { type: 'array', items } });
      await scene.start(t);
      const [min, max] = bounds;
      const length = { observer_schema_list_min_length: min, observer_schema_list_max_length: max };
      const parts = [...desired.map(() => ({ selector: 'observed' })), length];
      const entry = kind.object('ours', { parts });
      await scene.apply('shop', { manifests: [kind.object('ours', { parts: desired })], observerSchema: [entry] });
      await scene.untilInSync('shop');
      await scene.ns.cluster.api('PATCH', `${kind.pathOf('ours')}?fieldManager=provider`, {
        spec: { parts: filledIn },
      });
      const isExpected = async () => isDeepStrictEqual((await kind.specOf('ours'))['parts'], expected);
      await eventually(isExpected, { what: 'the list' });
      await remainsTrue(isExpected, { what: 'the list', for: 5_000 });
      await scene.untilInSync('shop');
    });
});
