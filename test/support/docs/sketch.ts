import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';
import * as xstate from 'xstate';
import { checkout } from '../cache.ts';

/** A machine file, as the open visualizer (Stately Sketch) sees it. */
export interface MachineFile {
  /** The file's name without `.ts`. */
  readonly name: string;
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly source: string;
  /** The modules that it imports values from. */
  readonly imports: readonly string[];
  /** Every machine that the file creates when it is evaluated. */
  readonly machines: readonly xstate.AnyStateMachine[];
}

let found: readonly MachineFile[] | undefined;

/** Returns all machine files, so that the rules apply to a new one without listing it anywhere. Reads them once. */
export function machineFiles(): readonly MachineFile[] {
  found ??= readMachineFiles();
  return found;
}

function readMachineFiles(): MachineFile[] {
  const paths = globSync('{machines,packages/*/machines}/**/*.ts', { cwd: checkout });
  return paths.sort().map((path) => {
    const source = readFileSync(join(checkout, path), 'utf8');
    return { name: basename(path, '.ts'), path, source, ...sketch(source) };
  });
}

/**
 * Evaluates the source of a machine file the way Sketch does: strip the types, delete the import of xstate, evaluate
 * the rest with xstate's exports in scope. Throws where Sketch would.
 */
export function sketch(source: string): Pick<MachineFile, 'imports' | 'machines'> {
  const plain = stripTypeScriptTypes(source);
  const imports = [...plain.matchAll(/^\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]/gm)].map((found) =>
    String(found[1]),
  );
  const dynamic = [...plain.matchAll(/\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g)].map((found) => String(found[1]));
  const body = plain
    .replace(/^\s*import\b[^;'"]*?from\s*['"]xstate['"];?/gm, '')
    .replace(/^\s*export\s+(?=const|function|class)/gm, '');
  const machines: xstate.AnyStateMachine[] = [];
  const scope = { ...xstate, setup: recordingSetup(machines) };
  new Function(...Object.keys(scope), `'use strict';\n${body}`)(...Object.values(scope));
  return { imports: [...new Set([...imports, ...dynamic])], machines };
}

function recordingSetup(machines: xstate.AnyStateMachine[]) {
  return (options: Parameters<typeof xstate.setup>[0]) => {
    const setupResult = xstate.setup(options);
    return {
      ...setupResult,
      createMachine: (config: Parameters<typeof setupResult.createMachine>[0]) => {
        const machine = setupResult.createMachine(config);
        machines.push(machine);
        return machine;
      },
    };
  };
}
