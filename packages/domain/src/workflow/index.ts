export * from './command.ts';
export * from './decide.ts';
export * from './event.ts';
export * from './evolve.ts';
export * from './names.ts';
export * from './state.ts';
export * from './transitions.ts';
export * from './undo-arguments.ts';
