/** Builds the production bundle before `npm test` starts its processes, which would otherwise each build their own. */
import { bundle } from './bundle.ts';

await bundle();
