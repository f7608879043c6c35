import type { Fields } from '../../base/schema/record.ts'
import { textFromPattern } from './text-from-pattern.ts'
import { clip } from './token-estimate.ts'

const DEFAULT_LENGTH = 256
const MAX_LENGTH = 1024

const SAMPLES: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'sandbox@example.com',
  'idn-email': 'sandbox@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/',
  'iri-reference': '/',
  'uri-template': '/{id}',
  'json-pointer': '/0',
  'relative-json-pointer': '0',
  regex: '.*',
}

/** The text, adapted to the schema's format, pattern and lengths. */
export function stringFromSchema(schema: Fields, text: string): string | undefined {
  const { format, pattern, minLength, maxLength } = schema
  if (typeof format === 'string' && Object.hasOwn(SAMPLES, format)) return SAMPLES[format]
  const patterned = typeof pattern === 'string' ? textFromPattern(pattern) : undefined
  return patterned ?? sized(text, Number(minLength ?? 0), Number(maxLength ?? DEFAULT_LENGTH))
}

// A schema counts code points, JavaScript counts UTF-16 units.
function sized(text: string, least: number, max: number): string | undefined {
  if (least > MAX_LENGTH) return undefined
  const characters = [...clip(text, MAX_LENGTH)].slice(0, Math.min(max, Math.max(least, DEFAULT_LENGTH)))
  return characters.join('') + '.'.repeat(Math.max(0, least - characters.length))
}
