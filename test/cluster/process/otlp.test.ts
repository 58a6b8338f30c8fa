import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { startCollector } from '../support/otlp/realCollector.ts';
import { startWeeder } from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

suite('an OpenTelemetry Collector', () => {
  test('a recovery', async (t) => {
    await using collector = await startCollector();
    const scene = await setScene(t, 'otlp', { settings: { watchDuration: '1s' } });
    const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    await weeder.ready();
    await scene.endpoints(true);
    await scene.down(weeder);
    const pod = await scene.pod('web-0');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await weeder.log.until('window closed', {service: scene.service}, { count: 1 });
    await weeder.stop();
    writeFileSync('/tmp/h-otel/collected.txt', collector.collected());
  });
});
