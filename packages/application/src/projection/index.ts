export * from './projector-seat.ts';
export * from './state-mends.ts';
