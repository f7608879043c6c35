import type { SampleRequest } from '../../../parts/samples/sample-request.ts'

/** What programs would send to the API for the same answer. A session is no key, so they need one of their own. */
const OPERATIONS = {
  chat: { path: '/v3/chat/completions', answer: 'stream' },
  messages: { path: '/v3/v1/messages', answer: 'stream' },
  image: { path: '/v3/images/generations', answer: 'json' },
  speech: { path: '/v3/audio/speech', answer: 'binary' },
  task: { path: '/v3/universal-ai', answer: 'json' },
  job: { path: '/v3/universal-ai/async', answer: 'json' },
} as const

export type SampleKind = keyof typeof OPERATIONS

/** `base` is where callers reach the API. */
export function sampleOf(kind: SampleKind, json: object, base: string): SampleRequest {
  const { path, answer } = OPERATIONS[kind]
  return {
    method: 'POST',
    name: `POST ${path}`,
    base,
    url: base + path,
    json,
    answer,
    key: 'GATEHOUSE_API_KEY',
    headers: {},
    parameters: {},
  }
}
