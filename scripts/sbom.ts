/** `npm run sbom`: writes what the bundle contains as CycloneDX to the standard output. */
import { makeBundle } from './image/bundle.ts';
import { sbomOf } from './image/sbom.ts';

process.stdout.write(sbomOf(await makeBundle()));
