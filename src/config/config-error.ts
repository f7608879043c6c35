/** A setting is wrong. The message says which one and what it should be; it never repeats a value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
