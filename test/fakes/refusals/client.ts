import type { Fields } from './rule.ts'

// Clients of each format. Like SDKs and agents, they keep what they got and send it back with the next request.

/** What a user adds to a conversation. */
export type Spoken = { text: string; image?: boolean }
type Result = { id: string; name: string; text: string; isError?: boolean }
export type Results = { results: Result[]; beside?: string | undefined; image?: boolean }

/** What the requests of a conversation have in common. */
export type Wishes = { system: boolean; tools: boolean; thinks: boolean; schema: boolean }

export type Client = {
  path(model: string): string
  say(spoken: Spoken): void
  /** An instruction in the middle, if the format has one. */
  instruct(text: string): void
  answer(results: Results): void
  request(model: string, wishes: Wishes): Fields
  /** Returns the calls of a reply. */
  hear(reply: Fields): { id: string; name: string }[]
}

export const SYSTEM = 'Be short.'
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
export const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
export const PIXEL_URL = `data:image/png;base64,${PIXEL}`
export const MAX_TOKENS = 9_000
export const BUDGET = 2_000
