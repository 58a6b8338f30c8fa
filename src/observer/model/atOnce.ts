/**
 * So many requests of a kind are under way at once: applies, trials, or what concerns applications themselves. A busy API
 * server takes 30 to 60 ms for each, so with half as many weeder waits most of the time; with many more, an API server
 * ends streams that it cannot serve.
 */
export const mostAtOnce = 16;
