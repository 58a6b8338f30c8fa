import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependantView, dependencyView } from '../scenes/views.ts';
import { boxHeight, layoutOf } from '../src/dependencies/layout.ts';

const ids = ['Deployment shop/api', 'Deployment shop/mail', 'Deployment shop/web'] as const;
const [api, mail, web] = ids;
const dependants = ids.map((id) => dependantView(id));

test('each service is in line with the first dependant of its own, and a dependant has one box with a line to each of its services', () => {
  const services = [
    dependencyView('cache', { dependants: [web] }),
    dependencyView('db', { dependants: [api, mail, web] }),
    dependencyView('queue', { dependants: [mail] }),
  ];
  const layout = layoutOf({ services, dependants });
  assert.deepEqual([...layout.dependants.keys()].sort(), [...ids]);
  assert.deepEqual(layout.dependants.get(web)?.services, ['shop/cache', 'shop/db']);
  assert.deepEqual(layout.dependants.get(mail)?.services, ['shop/db', 'shop/queue']);
  assert.equal(layout.services.get('shop/cache')?.y, layout.dependants.get(web)?.y);
  assert.equal(layout.services.get('shop/db')?.y, layout.dependants.get(api)?.y);
});

test('no box overlaps another, and all are within the height of the picture', () => {
  const services = [
    dependencyView('alone'),
    dependencyView('db', { dependants: [api, mail], total: 9 }),
    dependencyView('queue', { dependants: [mail, web], total: 2 }),
  ];
  const { height, services: left, dependants: right, notes } = layoutOf({ services, dependants });
  assert.deepEqual([...notes.keys()], ['shop/db']);
  for (const column of [[...left.values()], [...right.values(), ...notes.values()]]) {
    const ys = column.map(({ y }) => y).sort((a, b) => a - b);
    for (const [index, y] of ys.entries()) {
      assert.ok(y >= 0 && y + boxHeight <= height, `${y}`);
      if (index > 0) assert.ok(y - (ys[index - 1] ?? 0) >= boxHeight, `${ys}`);
    }
  }
});

test('boxes stay where they are when a service goes down', () => {
  const services = [dependencyView('cache', { dependants: [web] }), dependencyView('db', { dependants: [api] })];
  const before = layoutOf({ services, dependants });
  const crashing = dependants.map((each) => ({ ...each, crashLooping: 3, workloads: [each.name] }));
  const down = services.map((each) => ({ ...each, view: { ...each.view, isReady: false } }));
  assert.deepEqual(layoutOf({ services: down, dependants: crashing }), before);
});

test('a box that is higher, because its text is wrapped, moves those below it and no other', () => {
  const services = [
    dependencyView('cache', { dependants: [web], total: 2 }),
    dependencyView('db', { dependants: [api, mail] }),
  ];
  const before = layoutOf({ services, dependants });
  for (const [high, moved] of [
    ['shop/cache', 0],
    [web, 56],
    ['more of shop/cache', 56],
    ['shop/db', 0],
    [api, 0],
  ] as const) {
    const after = layoutOf({ services, dependants }, (key) => (key === high ? boxHeight + 56 : boxHeight));
    assert.equal((after.services.get('shop/db')?.y ?? 0) - (before.services.get('shop/db')?.y ?? 0), moved, high);
    assert.equal(after.services.get('shop/cache')?.y, 0);
  }
  const { dependants: places } = layoutOf({ services, dependants }, (key) => (key === api ? 120 : boxHeight));
  assert.equal((places.get(mail)?.y ?? 0) - (places.get(api)?.y ?? 0), 120 + 8);
});
