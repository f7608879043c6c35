import type { ServerResponse } from 'node:http'
import { type Behaviour, failure, silence, status } from '../fakes/behaviours.ts'
import type { Exchange } from '../fakes/exchanges/exchange.ts'
import { hangUp } from '../fakes/hang-up.ts'

// What can happen to a call: the answers of its provider, one after the other, and when its caller leaves.

export type Scenario = {
  name: string
  /** What the provider does with each request; the last one also with those that follow. */
  provider: (exchange: Exchange) => Behaviour[]
  /** More members of the body. */
  body?: object
  /** The key of a caller whose budget is spent. */
  isPoor?: boolean
  /** The caller leaves when the provider has got this many requests, and has sent what it sends. */
  leavesAfter?: number
}

export const PLAIN: Scenario = { name: 'answered', provider: (exchange) => [answered(exchange)] }

/** For every endpoint. */
export const FAULTS: Scenario[] = [
  { name: 'refused by the provider (400)', provider: () => [failure(400, { message: 'No.', code: 'odd' })] },
  { name: 'without a right to it (401)', provider: () => [failure(401, { message: 'Who?' })] },
  { name: 'too often (429)', provider: () => [failure(429, { message: 'Slow.' }, { 'retry-after': '7' })] },
  { name: 'failed (500)', provider: () => [failure(500, { message: 'Oh.' })] },
  { name: 'no JSON', provider: () => [status(200, '<html>', { 'content-type': 'text/html' })] },
  { name: 'cut in the middle', provider: (exchange) => [half(exchange, (response) => hangUp(response, 'fin'))] },
  { name: 'refused by a budget', provider: (exchange) => [answered(exchange)], isPoor: true },
  { name: 'left before the answer', provider: () => [silence()], leavesAfter: 1 },
  { name: 'left in the middle of the answer', provider: (exchange) => [half(exchange, () => {})], leavesAfter: 1 },
]

/** For chats in the format of chat completions, which name their fallbacks and hooks themselves. */
export const OF_CHATS: Scenario[] = [
  {
    name: 'answered by the fallback',
    provider: (exchange) => [failure(500), answered(exchange)],
    body: { fallbacks: ['my-openai/other'] },
  },
  {
    name: 'failed at both targets',
    provider: () => [failure(500), failure(503)],
    body: { fallbacks: ['my-openai/other'] },
  },
  {
    name: 'left at the fallback',
    provider: () => [failure(500), silence()],
    body: { fallbacks: ['my-openai/other'] },
    leavesAfter: 2,
  },
  {
    name: 'redacted before and after',
    provider: (exchange) => [answered(exchange)],
    body: { pre_hooks: [{ action: 'redact_pii' }], post_hooks: [{ action: 'redact_pii' }] },
  },
  {
    name: 'blocked by a hook',
    provider: (exchange) => [answered(exchange)],
    body: { pre_hooks: [{ action: 'block_patterns', params: { patterns: ['Hi'] } }] },
  },
  {
    name: 'answer is no JSON as it has to be',
    provider: (exchange) => [answered(exchange)],
    body: { post_hooks: [{ action: 'json_heal', params: { json_schema: { type: 'object' } } }] },
  },
  { name: 'two choices', provider: (exchange) => [answered(exchange)], body: { n: 2 } },
]

function answered({ answer }: Exchange): Behaviour {
  return (_, response) => {
    begin(answer, response)
    response.end(typeof answer === 'string' ? answer : answer.join(''))
  }
}

/** Sends half of the answer, and then does something. */
function half({ answer }: Exchange, then: (response: ServerResponse) => void): Behaviour {
  return (_, response) => {
    begin(answer, response)
    const begun = typeof answer === 'string' ? answer.slice(0, answer.length / 2) : firstHalf(answer).join('')
    response.write(begun, () => then(response))
  }
}

function firstHalf(events: string[]): string[] {
  return events.slice(0, Math.ceil(events.length / 2))
}

function begin(answer: Exchange['answer'], response: ServerResponse): void {
  response.writeHead(200, { 'content-type': typeof answer === 'string' ? 'application/json' : 'text/event-stream' })
}
