export { faultsOf } from './faults.ts';
export { layOut, sizeOfDrawing, upwards } from './layOut.ts';
