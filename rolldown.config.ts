import type { RolldownOptions } from 'rolldown';
import packageJson from './package.json' with { type: 'json' };

/** prom-client asks it for the current span, and only for exemplars, which weeder's metrics do not have. */
const tracing = '@opentelemetry/api';

/**
 * The production bundle: one file for the `bin` entry, with only what weeder uses of its dependencies. pino-pretty
 * and the inspector stay outside: they are optional, and loaded only for a terminal and for --inspect. What cannot be
 * found is an error, and this file needs no bundler beside it: the image is built from a folder with production
 * dependencies alone.
 */
export default {
  input: 'src/cli/weeder.ts',
  platform: 'node',
  external: ['pino-pretty', '@statelyai/inspect'],
  onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
  plugins: [{ name: 'no-tracing', resolveId: (name) => (name === tracing ? tracing : null), load: noTracing }],
  treeshake: {
    // Its KubeConfig imports the whole generated API, of which it needs almost nothing; importing it has no effects.
    moduleSideEffects: [{ test: /\/node_modules\/@kubernetes\/client-node\//, sideEffects: false }],
  },
  output: { file: 'dist/weeder.js', format: 'esm', codeSplitting: false, banner: nodeCheck(packageJson.engines.node) },
} satisfies RolldownOptions;

function noTracing(name: string): string | null {
  return name === tracing ? 'export {};' : null;
}

/** Comes before everything else, and runs on any Node that knows modules: says which one weeder needs. */
function nodeCheck(engines: string): string {
  const [major = 0, minor = 0] = engines.replace('>=', '').split('.').map(Number);
  return `{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < ${major} || (major === ${major} && minor < ${minor})) {
    process.stderr.write('weeder: Node ' + process.versions.node + ' is too old: weeder needs Node ${major}.${minor} or newer. Install one, or run weeder with npm start, which brings its own.\\n');
    process.exit(1);
  }
}`;
}
