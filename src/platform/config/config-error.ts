/**
 * A setting is invalid. The message names the setting and the expected value, but never repeats a value, which may be a secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Puts the name of what is read in front of the message of an error. */
export function named<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${name}: ${error.message}`)
    throw new ConfigError(`${name}: ${error instanceof SyntaxError ? 'is not valid JSON' : unreadable(error)}`)
  }
}

/** What the system says about a file is no secret. */
function unreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? 'cannot be read' : `cannot be read (${code}). Check the path`
}

/** The text of a setting, which may not be empty. */
export function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new ConfigError('should not be empty')
  return value
}
