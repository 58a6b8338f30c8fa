import packageJson from '../../package.json' with { type: 'json' };

/** How weeder introduces itself to the API server. */
export const userAgent = `weeder/${packageJson.version}`;
