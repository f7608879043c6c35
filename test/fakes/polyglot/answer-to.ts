import type { Answer, Heard } from './wire.ts'

const CITIES = ['Oslo', 'Zürich']

/** What a model says to what it heard; the words show that all of it arrived. */
export function answerTo(heard: Heard): Answer {
  const thinking = heard.thinks ? 'Let me see.' : ''
  if (heard.tools.length > 0 && heard.results.length === 0) return { thinking, text: [], calls: callsOf(heard) }
  return { thinking, text: words(said(heard)), calls: [] }
}

/** Two at once, of the first tool there is. */
function callsOf({ tools: [name] }: Heard): Answer['calls'] {
  return CITIES.map((city, at) => ({ id: `call_${at}`, name: name!, input: { city } }))
}

function said({ results, schema, images, text, system }: Heard): string {
  if (results.length > 0) return results.map(({ id, text }) => `${id}: ${text}`).join('; ')
  if (schema !== undefined) return JSON.stringify({ city: 'Zürich' })
  const seen = images.map(({ type, bytes }) => `I see ${type} of ${bytes} bytes. `).join('')
  return `${seen}${system ? `${system} ` : ''}You said: ${text}`
}

function words(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}
