import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import packageJson from '../../../package.json' with { type: 'json' };
import { tracesIn } from '../../support/otlp/collector.ts';
import { eventually, grant, startWeeder } from '../support/cluster.ts';
import { type RealCollector, startCollector } from '../support/otlp/realCollector.ts';
import { setRestartScene } from '../support/restart/restartScene.ts';
import { type Scene, setScene } from '../support/scene.ts';
import type { WeederProcess } from '../support/weeder.ts';

const scope = { name: 'weeder', version: packageJson.version };
const cumulative = 2;
const settings = { watchDuration: '2s' };

/** Metrics are also sent at the end. */
function envFor({ url }: RealCollector, interval = '60000') {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRIC_EXPORT_INTERVAL: interval, POD_NAME: 'weeder-0' };
}

/** Creates the ready service, which opens a first window. */
async function appear(scene: Scene, weeder: WeederProcess): Promise<void> {
  await weeder.ready();
  await scene.endpoints(true);
  await weeder.log.until('service recovered, window opened', { service: scene.service });
}

suite('export to an OpenTelemetry Collector', { concurrency: true }, () => {
  test('a recovery is one trace, and the metrics have their types, units and temporality', async (t) => {
    await using collector = await startCollector();
    const scene = await setScene(t, 'otlp', { settings });
    const { name: namespace, cluster } = scene.ns;
    const weeder = startWeeder(t, { cluster, config: scene.config, env: envFor(collector) });
    await appear(scene, weeder);
    await scene.down(weeder);
    const pod = await scene.pod('web-0');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await weeder.log.until('window closed', { service: scene.service }, { count: 2 });
    await weeder.stop();
    assert.deepEqual(weeder.log.find(/OTLP/, { level: 'warn' }), []);

    const { spans, metrics } = collector.collected();
    assert.deepEqual(tracesIn(spans), [
      ['recovery', '  window'],
      ['recovery', '  outage', '  window', '    delete pod web-0 deleted'],
    ]);
    const [deletion] = spans.filter((span) => span.name === 'delete pod');
    const trace = spans.filter((span) => span.trace === deletion?.trace);
    const recovery = trace.find((span) => span.name === 'recovery');
    assert.ok(deletion && recovery);
    const { 'weeder.back_off.saved': saved, ...attributes } = deletion.attributes;
    assert.ok(Number.isInteger(saved), String(saved));
    assert.deepEqual(attributes, {
      'k8s.namespace.name': namespace,
      'k8s.pod.name': 'web-0',
      'k8s.pod.uid': pod.metadata.uid,
      'k8s.container.name': 'main',
      'k8s.container.restart_count': 3,
      'weeder.object.kind': 'ConfigMap',
      'weeder.object.name': 'owner-of-web-0',
      'weeder.cause': 'CrashLoopBackOff',
      'weeder.result': 'deleted',
      'weeder.attempts': 1,
    });
    const { 'k8s.service.name': service, 'weeder.pods.deleted': deleted } = recovery.attributes;
    assert.deepEqual([service, deleted], [scene.service, 1]);
    for (const span of trace) {
      assert.deepEqual([span.scope, span.status], [scope, { code: 0 }]);
      assert.ok(span.start >= recovery.start && span.start <= span.end && span.end <= recovery.end, span.name);
    }
    for (const { resource } of [...spans, ...metrics]) {
      const own = Object.entries(resource).filter(([key]) => !key.startsWith('telemetry.sdk.'));
      assert.deepEqual(Object.fromEntries(own), {
        'service.name': 'weeder',
        'service.version': packageJson.version,
        'service.instance.id': 'weeder-0',
        'k8s.pod.name': 'weeder-0',
      });
    }

    const last = metrics.at(-1);
    assert.deepEqual(last?.scope, scope);
    const metric = (name: string) => last?.metrics.find((each) => each.name === name) ?? assert.fail(name);
    const { sum, ...deletions } = metric('weeder_pod_deletions_total');
    assert.deepEqual([sum?.aggregationTemporality, sum?.isMonotonic, deletions.unit], [cumulative, true, '']);
    assert.deepEqual(
      sum?.dataPoints.filter(({ asDouble }) => asDouble > 0).map(({ attributes }) => attributes),
      [{ service: scene.service, result: 'deleted' }],
    );
    const { histogram, unit } = metric('weeder_recovery_to_deletion_seconds');
    assert.deepEqual([histogram?.aggregationTemporality, unit], [cumulative, 's']);
    const [point] = histogram?.dataPoints ?? [];
    assert.deepEqual([point?.count, point?.bucketCounts.reduce((all, count) => all + count)], [1, 1]);
    assert.equal(point?.bucketCounts.length, 1 + (point?.explicitBounds.length ?? 0));
    const bytes = metric('weeder_stream_received_bytes_total');
    assert.deepEqual([bytes.unit, bytes.sum?.isMonotonic], ['By', true]);
    assert.deepEqual(
      metric('weeder_dry_run').gauge?.dataPoints.map(({ asDouble }) => asDouble),
      [0],
    );
  });

  test('a deletion that is refused is a span with an error, its class and its attempts', async (t) => {
    await using collector = await startCollector();
    const scene = await setScene(t, 'otlp-refused', { settings });
    const { cluster } = scene.ns;
    const user = cluster.takeUser();
    await grant(cluster, user, [
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get'] },
    ]);
    const flags = ['--events=false'];
    const expects = { errorLines: /./ };
    const weeder = startWeeder(t, { cluster, user, flags, expects, config: scene.config, env: envFor(collector) });
    await appear(scene, weeder);
    await scene.down(weeder);
    await scene.pod('web-0');
    await scene.endpoints(true);
    await weeder.log.until('window closed', { service: scene.service }, { count: 2 });
    await weeder.stop();
    const { spans } = collector.collected();
    assert.deepEqual(tracesIn(spans).at(-1), [
      'recovery (error)',
      '  outage',
      '  window (error)',
      '    delete pod web-0 failed (error)',
    ]);
    const { attributes, status, events } = spans.find(({ name }) => name === 'delete pod') ?? assert.fail();
    assert.match(String(status.message), /^the window closed first, and an earlier attempt was refused: /);
    // The last attempt may begin as the window closes, and then has no class of its own.
    assert.match(String(attributes['error.type']), /^(forbidden|other)$/);
    assert.ok(events.length > 0 && events.length === attributes['weeder.attempts'], String(events));
    assert.deepEqual([...new Set(events)], ['weeder.deletion.refused']);
  });

  test('a restart is one trace, with the sources that changed', async (t) => {
    await using collector = await startCollector();
    const scene = await setRestartScene(t, 'otlp-restart');
    const { name: namespace } = scene.ns;
    await scene.put('settings', { word: 'one' });
    await scene.make('Deployment', 'web', { uses: { envFrom: [{ configMapRef: { name: 'settings' } }] } });
    const weeder = await scene.start(t, { env: envFor(collector) });
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('settings', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    await weeder.log.until(/^workload rolled out/);
    await weeder.stop();
    const { spans } = collector.collected();
    assert.deepEqual(tracesIn(spans), [['restart rolled_out', '  quiet period', '  patch', '  rollout']]);
    const { attributes } = spans.find(({ name }) => name === 'restart') ?? assert.fail();
    const { 'k8s.namespace.name': home, 'k8s.deployment.name': deployment, 'weeder.sources': sources } = attributes;
    assert.deepEqual([home, deployment, sources], [namespace, 'web', [`configmap/${namespace}/settings`]]);
  });

  test('a collector that stops and starts again gets the next trace, and all that was counted', async (t) => {
    await using collector = await startCollector();
    const scene = await setScene(t, 'otlp-again', { settings });
    const { cluster } = scene.ns;
    const weeder = startWeeder(t, { cluster, config: scene.config, env: envFor(collector, '3000') });
    await appear(scene, weeder);
    await eventually(() => collector.collected().metrics.length > 0, { what: 'metrics' });
    const recover = async (name: string, count: number) => {
      await scene.down(weeder);
      const pod = await scene.pod(name);
      await scene.endpoints(true);
      await scene.untilDeleted(pod);
      await weeder.log.until('window closed', { service: scene.service }, { count });
    };

    await collector.stop();
    await weeder.log.until('the export over OTLP fails', { signal: 'metrics' });
    await recover('web-0', 2);
    await collector.start();
    await weeder.log.until('the export over OTLP succeeds again', { signal: 'metrics' });
    await recover('web-1', 3);
    await weeder.stop();

    const { spans, metrics } = collector.collected();
    const deletions = metrics.flatMap(({ metrics: each }) => {
      const points = each.find(({ name }) => name === 'weeder_pod_deletions_total')?.sum?.dataPoints ?? [];
      return points.filter(({ attributes }) => attributes['result'] === 'deleted');
    });
    const ofService = deletions.filter(({ attributes }) => attributes['service'] === scene.service);
    assert.equal(ofService.at(-1)?.asDouble, 2);
    assert.equal(new Set(ofService.map(({ startTimeUnixNano }) => startTimeUnixNano)).size, 1);
    const times = ofService.map(({ timeUnixNano }) => timeUnixNano);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
      'the newest come last',
    );
    assert.ok(tracesIn(spans).some((lines) => lines.includes('    delete pod web-1 deleted')));
  });
});
