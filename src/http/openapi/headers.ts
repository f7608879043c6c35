import { PERMANENT_STATUSES } from '../problems.ts'
import type { Route } from '../route.ts'
import type { OpenApiDocument, Reference } from '../../contract/openapi/document.ts'

// Request headers for authentication, and response headers.

/** Either of them is sufficient. */
const KEYS = {
  bearer: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <key>`, which most clients send.' },
  'x-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      '`x-api-key: <key>`, which some clients send. `api-key`, `x-goog-api-key`, `x-litellm-api-key`, `x-portkey-api-key` and `x-bf-vk` are read, too.',
  },
}

/** People who have signed in. */
const SESSION = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-gatehouse',
    description:
      'The cookie of a session, which a sign-in sets. On a listener that only this machine can reach, without TLS, it is called `gatehouse`.',
  },
}

/** Every listener takes keys, the admin listener sessions, too. */
export function securitySchemes(routes: readonly Route[]) {
  return routes.some(({ access }) => access === 'admin') ? { ...KEYS, ...SESSION } : KEYS
}

const HEADERS: Record<string, string> = {
  'x-request-id': 'Identifies the request in the logs of the gateway. Every answer has it.',
  'x-gatehouse-model': 'The model that answered, as `provider/model`.',
  'x-gatehouse-provider': 'The provider that answered.',
  'x-gatehouse-attempts': 'How many models or providers were tried until one answered.',
  'x-gatehouse-cost': 'The cost of the call in USD. Absent if the price is unknown, and on streams.',
  'x-gatehouse-dropped-fields':
    'Fields of the request that the provider did not get, and fields of the answer that lack something, separated by commas. ' +
    'Absent if there are none; a stream names what is known when it begins. The notes of the metadata have the reasons.',
  sunset: 'The day on which the provider retires the model (RFC 8594). Absent if unknown.',
  'retry-after': 'Seconds to wait before the next try, if known.',
  'retry-after-ms': 'The same in milliseconds, if it is at most a minute. The SDKs of OpenAI and Anthropic read it.',
  'x-should-retry': '`false` if the same request would fail again, or only a wait of more than a minute would help.',
  'x-ratelimit-limit-requests': 'The tightest limit on requests. Absent if none applies. `-tokens` likewise.',
  'x-ratelimit-remaining-requests': 'How many requests are left of this limit.',
  'x-ratelimit-reset-requests': 'How long until this limit resets, such as `6m0s`.',
  'x-ratelimit-limit-tokens': 'The tightest limit on tokens. Absent if none applies.',
  'x-ratelimit-remaining-tokens': 'How many tokens are left of this limit.',
  'x-ratelimit-reset-tokens': 'How long until this limit resets.',
  'ratelimit-policy': 'All rate limits that apply: name, `q` how many, `w` in how many seconds, `qu` of what.',
  ratelimit: 'Their state: `r` how many are left, `t` seconds until the limit resets.',
  'www-authenticate': 'Always `Bearer`.',
}
/** Headers of answers of models. */
export const CALL_HEADERS: readonly string[] = [
  ...['x-gatehouse-model', 'x-gatehouse-provider', 'x-gatehouse-attempts', 'x-gatehouse-cost'],
  ...['x-gatehouse-dropped-fields', 'sunset', 'ratelimit-policy', 'ratelimit'],
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ...['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
]
const HEADERS_OF_STATUS: Record<number, string[]> = {
  ...Object.fromEntries(PERMANENT_STATUSES.map((status) => [status, ['x-should-retry']])),
  401: ['www-authenticate', 'x-should-retry'],
  429: ['retry-after', 'retry-after-ms', 'x-should-retry'],
  502: ['x-should-retry'],
  503: ['retry-after', 'retry-after-ms', 'x-should-retry'],
}

export function securityOf(route: Route): Record<string, string[]>[] {
  return route.access === 'open' ? [] : Object.keys(securitySchemes([route])).map((name) => ({ [name]: [] }))
}

export function headerComponents(): OpenApiDocument['components']['headers'] {
  const headers = Object.entries(HEADERS)
  return Object.fromEntries(headers.map(([name, description]) => [name, { description, schema: { type: 'string' } }]))
}

export function headersOf(status: number, callHeaders: readonly string[] = []): Record<string, Reference> {
  const names = status < 400 ? callHeaders : (HEADERS_OF_STATUS[status] ?? [])
  return Object.fromEntries(['x-request-id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
