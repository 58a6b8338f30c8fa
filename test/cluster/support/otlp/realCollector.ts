import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '../eventually.ts';
import { builtTools, type ToolModule } from '../plane/build.ts';
import { freePorts } from '../plane/ports.ts';
import { type ManagedProcess, startProcess } from '../plane/process.ts';
import { temporaryFile } from '../weeder.ts';
import { readLines } from './collected.ts';

/** The OpenTelemetry Collector, with an exporter of our own which writes lines of JSON. */
const collectorModule: ToolModule = {
  name: 'collector',
  version: /go\.opentelemetry\.io\/collector\/otelcol (v[\d.]+)/,
  what: 'an OpenTelemetry Collector',
  takes: '2 minutes',
};

/** A collector on loopback. */
export type RealCollector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const program = join(await builtTools(collectorModule), 'collector');
  const folder = dirname(temporaryFile('collector'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { json: {} },
    service: {
      pipelines: {
        traces: { receivers: ['otlp'], exporters: ['json'] },
        metrics: { receivers: ['otlp'], exporters: ['json'] },
      },
    },
  });
  async function launch(): Promise<ManagedProcess> {
    const running = startProcess(folder, `collector-${port}`, program, [`--config=yaml:${config}`]);
    const isOver = async () => !running.isRunning() || fetch(url).then(() => true);
    await eventually(isOver, { what: 'that the collector answers' });
    if (!running.isRunning()) throw new Error(`the collector ${await running.exited}: ${running.tail()}`);
    return running;
  }
  let running = await launch();
  return {
    /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    url,
    /** What it has received, over all its starts. */
    collected: () => readLines(readFileSync(running.logFile, 'utf8')),
    stop: () => running.kill(),
    /** Starts it again, at the same address. */
    async start() {
      running = await launch();
    },
    [Symbol.asyncDispose]: () => running.kill(),
  };
}
