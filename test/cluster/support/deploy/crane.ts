import { dirname, join } from 'node:path';
import { eventually } from '../eventually.ts';
import { builtTools, type ToolModule } from '../plane/build.ts';
import { freePorts } from '../plane/ports.ts';
import { startProcess } from '../plane/process.ts';
import { temporaryFile } from '../weeder.ts';

const craneModule: ToolModule = {
  name: 'crane',
  version: /go-containerregistry (v[\d.]+)/,
  what: 'crane',
  takes: 'half a minute',
};

/** A registry on loopback. */
export interface Registry extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  /** The folder of the program crane. */
  readonly folder: string;
}

/** Starts the registry that crane has for tests, which keeps everything in memory. */
export async function startRegistry(): Promise<Registry> {
  const folder = await builtTools(craneModule);
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const args = ['registry', 'serve', '--address', address];
  const server = startProcess(dirname(temporaryFile('registry')), 'registry', join(folder, 'crane'), args);
  await eventually(async () => (await fetch(`http://${address}/v2/`).catch(() => undefined))?.ok === true, {
    what: 'that the registry answers',
  });
  return { address, folder, [Symbol.asyncDispose]: () => server.kill() };
}
