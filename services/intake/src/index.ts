export { createIntake, type IntakeDeps } from './create-intake.ts';
