const ENV = 'env:'

/** The variable that a `credential` such as `env:NAME` names. */
export function variableIn(credential: unknown): string | undefined {
  return typeof credential === 'string' && credential.startsWith(ENV) ? credential.slice(ENV.length) : undefined
}
