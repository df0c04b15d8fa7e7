// Where the gateway tells what it did. pino fits. It is never told bodies, keys or credentials.
export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
