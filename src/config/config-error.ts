/**
 * A setting is invalid. The message names the setting and the expected value, but never repeats a value, which may be a secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
