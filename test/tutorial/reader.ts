import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { archiveOf } from './archives.ts';
import { type OneNodeCluster, startCluster } from './cluster.ts';
import { run, runCommand } from './commands.ts';
import type { Step } from './page.ts';
import type { Programs } from './programs.ts';
import { substitutes } from './substitutes.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Someone who follows a page in a clone of this repository, with at most one cluster. */
export type Reader = ReturnType<typeof newReader>;

/** The clone has the files of this checkout, and its packages. */
export function newReader(programs: Programs, archives: string) {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-reader-'));
  const clone = join(folder, 'weeder');
  const place = (file: string): string => join(clone, file);
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '');
  for (const file of files) cpSync(join(checkout, file), place(file));
  symlinkSync(join(checkout, 'node_modules'), place('node_modules'));
  // Not what `npm run` has set for this process.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
  const env = {
    ...Object.fromEntries(own),
    PATH: [programs.folder, programs.helm, ...path].join(delimiter),
    HOME: folder,
    KUBECONFIG: join(folder, 'kubeconfig'),
  };
  const shell = { folder: clone, env };
  let running: OneNodeCluster | undefined;
  const needCluster = (): OneNodeCluster => {
    if (running === undefined) throw new Error('The page has created no cluster.');
    return running;
  };
  const reader = {
    /**
     * Saves a file, or types a command and returns its output. Throws if the command fails, or its output is not as the
     * page shows it.
     */
    async take(step: Step) {
      if ('file' in step) {
        reader.save(step.file, step.content);
        return '';
      }
      for (const [pattern, substitute] of substitutes) {
        const match = pattern.exec(step.command);
        if (match !== null) {
          await substitute(reader, match[1] ?? '');
          return '';
        }
      }
      return runCommand(shell, step);
    },
    /** Runs a command of which the page says nothing, and returns its output. */
    run: (command: string) => run(shell, command),
    read: (file: string) => readFileSync(place(file), 'utf8'),
    save(file: string, content: string) {
      mkdirSync(dirname(place(file)), { recursive: true });
      writeFileSync(place(file), content);
    },
    /** The path of an archive of `buildArchives`. */
    archive: (name: string) => join(archives, name),
    /** Puts the archive of weeder's image into the clone. */
    takeImage() {
      const name = archiveOf(packageJson.version);
      cpSync(reader.archive(name), place(name));
    },
    async createCluster() {
      running = await startCluster(programs, archives);
      cpSync(running.cluster.kubeconfigFor('admin'), env.KUBECONFIG);
    },
    async deleteCluster() {
      await running?.stop();
      running = undefined;
    },
    /** Imports an archive into the cluster. */
    loadArchive: (file: string) =>
      run(
        shell,
        `ctr --address=${needCluster().socket} --namespace=k8s.io images import --all-platforms --digests --snapshotter=overlayfs ${file}`,
      ),
    cluster: () => needCluster().cluster,
    /** Deletes the cluster and the clone. */
    async leave() {
      await reader.deleteCluster();
      rmSync(folder, { recursive: true });
    },
  };
  return reader;
}
