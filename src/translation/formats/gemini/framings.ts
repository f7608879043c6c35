import type { Framing } from './gemini-events.ts'

/** Server-sent events. Nothing marks the end. */
export function eventFraming(): Framing {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  return { reply: event, failure: event, end: () => '' }
}

/** One JSON array that grows, which is what this format sends unless the client asks for events. */
export function arrayFraming(): Framing {
  let isFirst = true
  const element = (value: object) => {
    const before = isFirst ? '[' : ',\n'
    isFirst = false
    return before + JSON.stringify(value)
  }
  // A broken answer leaves its array open, so that the client does not take it for a whole one.
  return { reply: element, failure: element, end: () => (isFirst ? '[]' : ']') }
}
