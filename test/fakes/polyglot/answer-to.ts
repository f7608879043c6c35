import type { Answer, ReceivedRequest } from './wire.ts'

const CITIES = ['Oslo', 'Zürich']

/** A model's answer to a request; its text shows that everything arrived. */
export function answerTo(received: ReceivedRequest): Answer {
  const thinking = received.thinks ? 'Let me see.' : ''
  if (received.tools.length > 0 && received.results.length === 0)
    return { thinking, text: [], calls: callsOf(received) }
  return { thinking, text: words(said(received)), calls: [] }
}

/** Two concurrent calls of the first tool. */
function callsOf({ tools: [name] }: ReceivedRequest): Answer['calls'] {
  return CITIES.map((city, at) => ({ id: `call_${at}`, name: name!, input: { city } }))
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
