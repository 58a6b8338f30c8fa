/** `npm run image:pins`: writes today's versions of Debian's packages, and the project's own version of Node, to pins.json. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { run } from '../problem.ts';
import { type Architecture, type DebianPackage, nodePackage, type Pins, pinsFile } from './pins.ts';

/** os-release, the libraries of Node, and the license of those that come from GCC. */
const packages = ['base-files', 'gcc-14-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];
const suites = [
  ['debian', 'trixie'],
  ['debian', 'trixie-updates'],
  ['debian-security', 'trixie-security'],
] as const;
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const advice = `the pins are looked up with npm, and with apt and its keys of Debian (${keyring}).`;

const Installed = z.object({ packages: z.object({ 'node_modules/node': z.object({ version: z.string() }) }) });

function nodeVersion(): string {
  return Installed.parse(JSON.parse(readFileSync('package-lock.json', 'utf8'))).packages['node_modules/node'].version;
}

/** Queries apt in a separate folder, so that neither the sources nor the architecture of this machine matter. */
function debianPackages(architecture: Architecture): DebianPackage[] {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-pins-'));
  try {
    const sources = suites.map(
      ([path, suite]) => `deb [signed-by=${keyring}] http://deb.debian.org/${path} ${suite} main`,
    );
    writeFileSync(join(folder, 'sources.list'), `${sources.join('\n')}\n`);
    mkdirSync(join(folder, 'lists', 'partial'), { recursive: true });
    const settings = {
      'APT::Architecture': architecture,
      'APT::Architectures::': architecture,
      'Acquire::Languages': 'none',
      'APT::Sandbox::User': 'root',
      'Dir::State::lists': join(folder, 'lists'),
      'Dir::State::status': '/dev/null',
      'Dir::Cache': folder,
      'Dir::Etc::sourcelist': join(folder, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    run('apt-get', [...options, 'update', '--error-on=any'], advice);
    const lines = run('apt-get', [...options, 'download', '--print-uris', ...packages], advice).toString();
    const matches = lines.matchAll(
      /^'(?<url>[^']+)' (?<name>[^_]+)_(?<version>[^_]+)_\S+ \d+ SHA256:(?<sha256>\w+)$/gm,
    );
    const pins = [...matches].map(({ groups: { url = '', name = '', version = '', sha256 = '' } = {} }) => ({
      name,
      version: decodeURIComponent(version),
      url,
      sha256,
    }));
    return pins.sort((a, b) => a.name.localeCompare(b.name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runtime(architecture: Architecture, node: string): Pins[Architecture] {
  const view = run('npm', ['view', `${nodePackage(architecture)}@${node}`, 'dist.integrity'], advice);
  return { nodeIntegrity: view.toString().trim(), packages: debianPackages(architecture) };
}

const node = nodeVersion();
const pins: Pins = { node, amd64: runtime('amd64', node), arm64: runtime('arm64', node) };
writeFileSync(pinsFile, `${JSON.stringify(pins, null, 2)}\n`);
