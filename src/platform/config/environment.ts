export type Environment = Record<string, string | undefined>

/** The environment of this process. Everybody asks here, and tests pass another one. */
export function ownEnvironment(): Environment {
  return process.env
}
