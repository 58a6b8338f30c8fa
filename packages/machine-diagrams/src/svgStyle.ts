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

/** A property with a colour of the theme; the light one for viewers without custom properties, such as librsvg. */
function coloured(property: 'fill' | 'stroke', name: keyof typeof light): string {
  return `${property}:${light[name]};${property}:var(--${name})`;
}

/** The style sheet of every picture. */
export const svgStyle = [
  palette('svg'),
  `text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;${coloured('fill', 'ink')}}`,
  `.page{${coloured('fill', 'page')}}`,
  `.box rect{${coloured('fill', 'fill')};${coloured('stroke', 'edge')};stroke-width:1.2}.open rect{fill:none}`,
  `.region rect,.place rect{stroke-dasharray:5 4}.place rect,.actor rect{fill:none;${coloured('stroke', 'edge')}}`,
  `.actor rect{${coloured('stroke', 'action')};stroke-width:1.6}.spawn .line{${coloured('stroke', 'action')};stroke-dasharray:6 4}`,
  `.name{font-weight:700}.description{${coloured('fill', 'soft')}}.guard{${coloured('fill', 'guard')}}.action{${coloured('fill', 'action')}}`,
  `.event{${coloured('fill', 'event')};font-weight:600}.label rect{${coloured('fill', 'page')}}.exit rect{fill:none}`,
  `.line{fill:none;${coloured('stroke', 'line')};stroke-width:1.3}.tip,.initial,.join rect{${coloured('fill', 'line')}}`,
].join('');
