import { OpenAI } from 'openai'
import { textEvents } from '../fakes/openai-events.ts'
import { API_KEY } from './gateway-under-test.ts'

// Responses in the background, by the official `openai` package, on both stores, in two processes of a gateway: one has no
// worker, the other runs the jobs.

export type Event = OpenAI.Responses.ResponseStreamEvent

export const MODEL = 'openai/gpt-4o-mini'
export const TEXT = 'One two three four.'
export const EVENTS = textEvents(TEXT)

export function clientOf({ url }: { url: string }): OpenAI {
  return new OpenAI({ apiKey: API_KEY, baseURL: `${url}/v3`, maxRetries: 0 })
}

export function uuidOf(id: string): string {
  return id.replace(/^resp_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function deltas(events: readonly Event[]): string {
  return events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
}

export function outputText({ output }: OpenAI.Responses.Response): string {
  return output.map(textOf).join('')
}

export function textOf(item: object): string {
  const { content } = item as { content?: { text?: string }[] }
  return content?.[0]?.text ?? ''
}
