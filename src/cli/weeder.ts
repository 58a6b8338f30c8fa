#!/usr/bin/env node
import { main } from './main.ts';
import { armLastResort } from './run/lastResort.ts';

// The reader of the output may exit first (`weeder … | head`), which must not stop weeder.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
process.exitCode = await main(process.argv.slice(2));
armLastResort();
