import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { systemClock } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { configText, firstImage } from '../../src/demo/observer/objects.ts';
import { openSite, peopleOf } from '../../src/demo/observer/site.ts';
import { clientTo } from '../../src/demo/run.ts';
import { file, kubeconfig, logOf, startCli } from '../support/cli.ts';
import { openPage } from '../support/page/openPage.ts';

/** All controllers, with work for the observer. */
const everything = `${configText}\nrestartControl: {}\ndeclaredDependencies: {}\nservicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}\n`;

/** Starts the real program on a site with one application; resolves when the application has been applied. */
async function applied(t: TestContext, ...flags: readonly string[]) {
  const site = openSite(systemClock, 1);
  t.after(() => site.stop());
  const listening = await site.server.listen();
  t.after(() => listening.close());
  const client = clientTo(listening.url, systemClock);
  t.after(() => client.close());
  await peopleOf(client).createApplication(firstImage);
  // The tests of the suite run at the same time, each with a server of its own.
  const access = ['--kubeconfig', file(`site-${new URL(listening.url).port}.kubeconfig`, kubeconfig(listening.url))];
  const servers = ['--health-bind-addr=127.0.0.1:0', '--metrics-bind-addr=127.0.0.1:0', '--ui-bind-addr=:0'];
  const weeder = startCli(['--config-file', file('site.yaml', everything), ...access, ...servers, ...flags]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('the application is applied', () => weeder.stdout().includes('"application applied"'));
  return weeder;
}

/**
 * Whatever is left a second after the end is named by a last line. The shortest timer that was ever left took two
 * seconds.
 */
suite('the end of the process', { concurrency: 2 }, () => {
  test('a weeder with all controllers and an open page is kept alive by nothing after its end', async (t) => {
    const weeder = await applied(t, '--enable-leader-election', '--leader-election-namespace=default');
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '';
    await using viewer = await openPage(url);
    await viewer.received('services', () => true);
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
    assert.equal(logOf(ended).at(-1)?.['msg'], 'weeder stopped');
  });

  test('a request that waits for its turn at a limited rate does not keep the process alive', async (t) => {
    // An Event waits until the burst is complete again, which takes longer than the process may take to end.
    const weeder = await applied(t, '--kube-api-qps=2', '--kube-api-burst=30');
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
    assert(logOf(ended).some(({ msg }) => msg === 'weeder stopped'));
    assert(!logOf(ended).some(({ left }) => left !== undefined));
  });
});
