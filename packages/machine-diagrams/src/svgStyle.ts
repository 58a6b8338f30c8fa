/** Colours with enough contrast in both themes. A highlighted element also has a thicker line. */
const light = {
  page: '#fff',
  ink: '#1d2433',
  soft: '#5b657a',
  line: '#7b8699',
  fill: '#f6f8fb',
  edge: '#b9c2d0',
  event: '#0b57d0',
  guard: '#8a4b00',
  action: '#3f6f2a',
};
const dark: typeof light = {
  page: '#12161f',
  ink: '#e6eaf2',
  soft: '#9aa6bb',
  line: '#8391a8',
  fill: '#1b212d',
  edge: '#4a566c',
  event: '#8ab4ff',
  guard: '#f0b25c',
  action: '#9fd08a',
};

/** The colours of the light and the dark theme, as custom properties of the selected elements. */
export function palette(selector: string): string {
  const properties = (colours: typeof light) =>
    Object.entries(colours)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';');
  return `${selector}{${properties(light)}}@media(prefers-color-scheme:dark){${selector}{${properties(dark)}}}`;
}

type Colour = (name: keyof typeof light) => string;

const rulesWith = (colour: Colour): string =>
  [
    `text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${colour('ink')}}`,
    `.page{fill:${colour('page')}}`,
    `.box rect{fill:${colour('fill')};stroke:${colour('edge')};stroke-width:1.2}.open rect{fill:none}`,
    `.region rect,.place rect{stroke-dasharray:5 4}.place rect,.actor rect{fill:none;stroke:${colour('edge')}}`,
    `.actor rect{stroke:${colour('action')};stroke-width:1.6}.spawn .line{stroke:${colour('action')};stroke-dasharray:6 4}`,
    `.name{font-weight:700}.description{fill:${colour('soft')}}.guard{fill:${colour('guard')}}.action{fill:${colour('action')}}`,
    `.event{fill:${colour('event')};font-weight:600}.label rect{fill:${colour('page')}}.exit rect{fill:none}`,
    `.line{fill:none;stroke:${colour('line')};stroke-width:1.3}.tip,.initial,.join rect{fill:${colour('line')}}`,
  ].join('');

/**
 * The style sheet of every picture. A viewer without custom properties skips `@supports`, and shows the light colours;
 * as a second declaration of a property, `var()` would override the first one there, and be black.
 */
export const svgStyle = `${palette('svg')}${rulesWith((name) => light[name])}@supports(fill:var(--ink)){${rulesWith((name) => `var(--${name})`)}}`;
