/** `npm run sbom`: writes what the bundle contains as CycloneDX to the standard output. */
import { makeBundle } from './image/bundle.ts';
import { bill } from './image/sbom.ts';

process.stdout.write(bill(await makeBundle()));
