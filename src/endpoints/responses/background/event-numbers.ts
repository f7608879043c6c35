// Events as texts. They are numbered one by one, and the number is the last member of each.

const NUMBER = /"sequence_number":(\d+)\}$/

/** The numbers of the first and of the last event in a text of whole events. Undefined if there is none. */
export function numbersIn(text: string): { first: number; last: number } | undefined {
  const events = eventsIn(text)
  const [first, last] = [events[0], events.at(-1)]
  return first === undefined || last === undefined ? undefined : { first: numberOf(first), last: numberOf(last) }
}

/** The events of a text whose numbers are higher. */
export function eventsAfter(text: string, number: number): string {
  const events = eventsIn(text).filter((event) => numberOf(event) > number)
  return events.map((event) => `${event}\n\n`).join('')
}

function eventsIn(text: string): string[] {
  return text.split('\n\n').filter((event) => event.startsWith('event:'))
}

function numberOf(event: string): number {
  return Number(NUMBER.exec(event)?.[1] ?? -1)
}
