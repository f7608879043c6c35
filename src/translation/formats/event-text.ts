/** A named server-sent event, as these formats write it. */
export function eventText(event: { type: string; [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** A comment, for chunks that cause no event: code that writes a body may take an empty piece for its end. */
export const NOTHING = ':\n\n'
