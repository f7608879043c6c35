import type { Route } from '../route.ts'

/** Either of them is enough. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <key>`, as most clients send it.' },
  'x-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: '`x-api-key: <key>`, as some clients do.',
  },
}

export function securityOf({ access }: Route): Record<string, string[]>[] {
  return access === 'open' ? [] : Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] }))
}
