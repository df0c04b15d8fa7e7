export * from './projector-seat.ts';
export * from './state-mends.ts';
export { noteToldByLog, toldByLog, type ToldByLog } from './lost-by-log.ts';
