import { isBuiltin } from 'node:module';
import type { Plugin, RolldownOptions } from 'rolldown';
import packageJson from './package.json' with { type: 'json' };
import { notices, packagesOf } from './scripts/image/packages.ts';

const http = `
  const http = process.getBuiltinModule('node:http');
  export default http;
  export const { createServer, STATUS_CODES, request, Agent } = http;
`;

/**
 * What takes the place of a dependency's module in the bundle. Each of these is loaded as a whole by somebody who needs
 * almost nothing of it; see docs/adr/0010-build-one-bundle-chunk-for-each-verb.md.
 */
const slimmer: Readonly<Record<string, string>> = {
  // prom-client asks it for the current span, and only for exemplars, which weeder's metrics do not have. It requires the
  // module; what exports over OTLP imports it, and gets the real one.
  '@opentelemetry/api': 'export {};',
  // Its index and that of its generated API import 900 modules of which nothing ends up in the bundle, but which take the
  // bundler 200 MB of memory and half of its time.
  '@kubernetes/client-node': `export { KubeConfig } from '@kubernetes/client-node/dist/config.js';`,
  './gen/index.js': `
    export { createConfiguration } from '@kubernetes/client-node/dist/gen/configuration.js';
    export { ServerConfiguration } from '@kubernetes/client-node/dist/gen/servers.js';
  `,
  // client-node makes an agent of Node's own HTTP with each set of credentials; weeder's requests go through undici's.
  'socks-proxy-agent': 'export class SocksProxyAgent {}',
  hpagent: 'export class HttpProxyAgent {} export class HttpsProxyAgent {}',
  socks: 'export class SocksClient {}',
  // The kubeconfig that client-node is given has been read by the parser of the config, and is JSON.
  'js-yaml': `
    export const load = JSON.parse;
    // Parts of client-node that do not end up in the bundle import them.
    export const [loadAll, dump] = [];
  `,
  // Imported as an ES module it is asked for all of its exports, WebSocket among them, for which Node loads its own fetch.
  'node:http': http,
  http,
  // undici's second parser of HTTP/1, which is experimental: only UNDICI_USE_MILO in the environment asks for it.
  './parser-h1.js': 'export const H1Parser = undefined; export const getMiloEnabled = () => false;',
  // Its index loads fetch, WebSocket, caches and mocks too.
  undici: `
    import Agent from 'undici/lib/dispatcher/agent.js';
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
    import Socks5ProxyAgent from 'undici/lib/dispatcher/socks5-proxy-agent.js';
    import api from 'undici/lib/api/index.js';
    Object.assign(Dispatcher.prototype, api);
    // Parts of client-node that do not end up in the bundle import it.
    export const fetch = undefined;
    export { Agent, ProxyAgent, Socks5ProxyAgent };
  `,
};

const slim: Plugin = {
  name: 'slim',
  resolveId: {
    order: 'pre',
    handler(name, _importer, { kind }) {
      // What requires one of Node's own modules, as undici does with node:http, gets the real one: there it costs nothing.
      const isReal = kind === 'require-call' ? isBuiltin(name) : name === '@opentelemetry/api';
      return name in slimmer && !isReal ? `\0slim:${name}` : null;
    },
  },
  load: (name) => slimmer[name.replace(/^\0slim:/, '')] ?? null,
};

/** V8 keeps a source with a single character beyond Latin-1 in two bytes for each character. */
const ascii: Plugin = {
  name: 'ascii',
  // After the minifier, which writes such characters as they are.
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      if (/\\[^\p{ASCII}]/u.test(chunk.code)) this.error('A character beyond ASCII follows a backslash: escape it.');
      chunk.code = chunk.code.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/** `kubectl weeder` runs the program of this name; `npm install` makes it a command on Windows, too. */
const kubectlPlugin: Plugin = {
  name: 'kubectl-plugin',
  generateBundle() {
    const source = "#!/usr/bin/env node\nimport './weeder.js';\n";
    this.emitFile({ type: 'asset', fileName: 'kubectl-weeder.js', source });
  },
};

const licenses: Plugin = {
  name: 'licenses',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: notices(packagesOf(modules)) });
  },
};

/**
 * The production bundle: the `bin` entry and the chunks it loads, with only what weeder uses of its dependencies.
 * The optional dependencies stay outside: pino-pretty is loaded only for a terminal, and the inspector only for --inspect.
 * What cannot be found is an error. Names stay as they are, for stack traces and profiles.
 */
export default {
  input: 'src/cli/weeder.ts',
  logLevel: 'warn',
  platform: 'node',
  external: Object.keys(packageJson.optionalDependencies),
  onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
  plugins: [slim, ascii, kubectlPlugin, licenses],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'esm',
    // Each verb is imported when it is asked for: a controller does not carry the sources of the demo in its memory.
    codeSplitting: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
    banner: ({ isEntry }) => (isEntry ? nodeCheck(packageJson.engines.node) : ''),
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
} satisfies RolldownOptions;

/** Comes before everything else, and runs on any Node that knows modules: says which one weeder needs. */
function nodeCheck(engines: string): string {
  const needed = Number(engines.replace('>=', ''));
  return `if (Number(process.versions.node.split('.')[0]) < ${needed}) {
  process.stderr.write('weeder: Node ' + process.versions.node + ' is too old: weeder needs Node ${needed} or newer. Install one, or run weeder with npm start, which brings its own.\\n');
  process.exit(1);
}`;
}
