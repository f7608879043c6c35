/** One server-sent event with a name, as the formats of this room write them. */
export function eventText(event: { type: string; [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** A comment, for where there is nothing to say: what writes a body may take an empty piece for its end. */
export const NOTHING = ':\n\n'
