import type { WireResponse } from './wire.ts'

/** Headers in which providers name a request, the most common ones first. */
const HEADERS = [
  ...['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'x-ms-request-id', 'x-goog-request-id'],
  ...['x-generation-id', 'x-trace-id', 'x-correlation-id', 'cf-ray'],
]
/** What ids are made of, and nothing that a log could misread. */
const VALID = /^[\w.:=+/@-]{1,128}$/

/** The provider's id of a request; null if there is none, or none that could be shown. */
export function upstreamIdOf(headers: WireResponse['headers']): string | null {
  for (const name of HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') return VALID.test(value) ? value : null
  }
  return null
}
