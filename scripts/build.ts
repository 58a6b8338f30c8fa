/** `npm run build`: writes the production bundle to `dist`. rolldown's own command would list a hundred chunks. */
import { build } from 'rolldown';
import config from '../rolldown.config.ts';

await build(config);
