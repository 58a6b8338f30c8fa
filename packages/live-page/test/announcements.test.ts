import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAnnouncements } from '../src/announcements.ts';

/** What is announced, one text for the moments of each call of `announce`. */
function announcing(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said: string[] = [];
  const { announce, forgetWindows } = createAnnouncements((text) => said.push(text));
  return {
    said,
    forgetWindows,
    announce(...moments: readonly (readonly [what: string, window: number, about?: string])[]) {
      for (const [what, window, about = 'shop/db'] of moments)
        announce({ t: 0, what, words: '', about, window, detail: '' });
      t.mock.timers.tick(1500);
    },
  };
}

test('a window is announced when it opens and when it closes', (t) => {
  const { said, announce } = announcing(t);
  announce(['window.opened', 1]);
  announce(['window.closed', 1]);
  assert.deepEqual(said, ['shop/db recovered, a window is open.', 'the window of shop/db is closed.']);
});

test('a window that was replaced is not announced as closed, at once or later, for this service only', (t) => {
  const { said, announce } = announcing(t);
  announce(['window.opened', 1]);
  announce(['window.opened', 2], ['window.closed', 1]);
  announce(['window.closed', 1, 'shop/dns']);
  announce(['window.closed', 2]);
  announce(['window.closed', 1]);
  assert.deepEqual(said.slice(1), [
    'shop/db recovered, a window is open.',
    'the window of shop/dns is closed.',
    'the window of shop/db is closed.',
  ]);
});

test('after a restart of weeder, the first windows are announced again', (t) => {
  const { said, announce, forgetWindows } = announcing(t);
  announce(['window.opened', 7]);
  forgetWindows();
  announce(['window.closed', 1]);
  assert.deepEqual(said.slice(1), ['the window of shop/db is closed.']);
});
