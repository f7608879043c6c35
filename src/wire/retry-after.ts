import type { WireResponse } from './wire.ts'

/**
 * The seconds that a provider asks us to wait; `retry-after-ms` is more exact, and some providers send it. For dates and
 * invalid values, our own default applies.
 */
export function readRetryAfter(headers: WireResponse['headers']): number | undefined {
  const milliseconds = wholeNumber(headers['retry-after-ms'])
  return milliseconds === undefined ? wholeNumber(headers['retry-after']) : milliseconds / 1_000
}

function wholeNumber(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined
}
