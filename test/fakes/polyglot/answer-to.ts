import type { Answer, Fields, ReceivedRequest } from './wire.ts'

const CITIES = ['Oslo', 'Zürich']
/** What a user of an agent says, whose tools take other arguments than a city. */
const ORDER = /\bCall (\w+) with (\{.*\})/

/** A model's answer to a request; its text shows that everything arrived. */
export function answerTo(received: ReceivedRequest): Answer {
  const thinking = received.thinks ? 'Let me see.' : ''
  const mayCall = received.tools.length > 0 && !received.text.includes('without a tool')
  if (mayCall && received.results.length === 0) return { thinking, text: [], calls: callsOf(received) }
  return { thinking, text: words(said(received)), calls: [] }
}

/** The call that the user ordered, one call of the tool that the request demands, or two concurrent calls of the first tool. */
function callsOf({ tools, forced, text }: ReceivedRequest): Answer['calls'] {
  const [, ordered, input] = ORDER.exec(text) ?? []
  if (ordered && tools.includes(ordered)) return [{ id: 'call_0', name: ordered, input: readInput(input!) }]
  const cities = forced ? CITIES.slice(1) : CITIES
  return cities.map((city, at) => ({ id: `call_${at}`, name: forced ?? tools[0]!, input: { city } }))
}

/** Some clients write the order of their user as a JSON string. */
function readInput(input: string): Fields {
  const isEscaped = input.startsWith('{\\')
  return JSON.parse(isEscaped ? JSON.parse(`"${input}"`) : input)
}

function said({ results, schema, images, text, system }: ReceivedRequest): string {
  if (results.length > 0) return results.map(({ id, text }) => `${id}: ${text}`).join('; ')
  if (schema !== undefined) return JSON.stringify({ city: 'Zürich' })
  const seen = images.map(({ type, bytes }) => `I see ${type} of ${bytes} bytes. `).join('')
  return `${seen}${system ? `${system} ` : ''}You said: ${text}`
}

function words(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}
