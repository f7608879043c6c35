import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, type Behaviour } from '../../fakes/behaviours.ts'
import { sample } from '../../soak/sample.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// Every status that a provider can answer with: the caller's own mistake is reported, and after everything else the next model
// is asked.

const { provider, chat } = await gatewayWithRows({ ...rowPerDialect(), spare: { dialect: 'openai' } })

/** These are about the request of the caller. */
const CALLERS = new Set([400, 413, 422])
/** The caller is told about these as the provider puts them, if no other model is left. */
const AS_IT_IS = new Set([...CALLERS, 404, 410])
/** What the caller is told instead of 502. */
const TOLD: Record<number, number> = {
  400: 400,
  413: 413,
  422: 422,
  404: 404,
  410: 404,
  429: 429,
  503: 503,
  529: 503,
  408: 504,
  504: 504,
  522: 504,
  524: 504,
}
const DIALECTS = Object.keys(rowPerDialect())
/** Where npm test does not try all statuses, it tries those in use, and every so many of the others. */
const STEP = sample(37, 1)
const IN_USE = [
  ...[
    100, 101, 103, 204, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413,
  ],
  ...[
    414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 432, 433, 451, 456, 498, 499, 500, 501, 502,
  ],
  ...[503, 504, 505, 511, 520, 522, 524, 529, 530, 598, 600, 799, 999],
]
const OTHERS = Array.from({ length: 900 }, (_, at) => at + 100).filter((status) => status % STEP === 0)
const STATUSES = [...new Set([...IN_USE, ...OTHERS])].filter((status) => status !== 200).toSorted((a, b) => a - b)

test('with a fallback, only a mistake of the caller ends the call', async () => {
  for (const [nr, status] of STATUSES.entries()) {
    // Cohere answers 498 if its policy blocks the content.
    const row = DIALECTS.filter((one) => one !== 'my-cohere' || status !== 498)[nr % (DIALECTS.length - 1)]
    provider.reset()
    provider.next(answering(status))
    provider.always(answer({ content: 'Spare' }))
    const { status: told, completion } = await chat.whole({ ...HELLO, model: `${row}/a${nr}`, fallbacks: ['spare/x'] })
    const expected = CALLERS.has(status) ? [status, undefined, 1] : [200, 'Spare', 2]
    const said = completion.choices?.[0]?.message.content
    assert.deepEqual([told, said, provider.requests.length], expected, `${status} of ${row}`)
  }
})

test('without a fallback, the caller is told whose mistake it was', async () => {
  for (const [nr, status] of STATUSES.entries()) {
    provider.reset()
    provider.always(answering(status))
    const body = { ...HELLO, model: `my-openai/b${nr}`, routing: { retries: 0 } }
    const { status: told, failure } = await chat.whole(body)
    assert.deepEqual([told, provider.requests.length], [TOLD[status] ?? 502, 1], String(status))
    assert.equal(failure.error.type === 'invalid_request_error', AS_IT_IS.has(status), String(status))
  }
})

/** Answers with 400 that are about the account of the operator, the model or what it wrote, as providers put them. */
const NOT_THE_CALLERS: [row: string, error: object][] = [
  ['my-openai', { message: 'Billing hard limit has been reached', code: 'billing_hard_limit_reached' }],
  ['my-openai', { message: 'Incorrect API key provided: xa***.' }],
  ['my-openai', { message: 'The model `a` has been decommissioned and is no longer supported.' }],
  ['my-openai', { message: 'Failed to call a function. Please adjust your prompt.', code: 'tool_use_failed' }],
  ['my-openai', { message: 'Access denied, please make sure your account is in good standing.', code: 'Arrearage' }],
  ['my-openai', { message: 'Model Not Exist', type: 'invalid_request_error' }],
  ['my-openai', { message: 'a/b is not a valid model ID', code: 400 }],
  ['my-openai', { message: 'Invalid model: a', type: 'invalid_model', code: '1500' }],
  ['my-openai', { message: 'Account is suspended, possibly due to reaching the monthly spending limit' }],
  ['my-openai', { message: 'Your organization must be verified to stream this model.', code: 'unsupported_value' }],
  ['my-openai', { message: 'The API deployment for this resource does not exist.', code: 'DeploymentNotFound' }],
  ['my-anthropic', { message: 'This organization has been disabled.', type: 'invalid_request_error' }],
  ['my-gemini', { message: 'API key not valid. Please pass a valid API key.', code: 400, status: 'INVALID_ARGUMENT' }],
]
/** The caller's own mistakes, also if the provider repeats words of the caller. */
const THE_CALLERS: [row: string, error: object][] = [
  ['my-openai', { message: "Invalid value: 'Incorrect API key provided'.", code: 'invalid_value' }],
  ['my-openai', { message: "'The model `a` does not exist' is not one of ['user']", code: null }],
  ['my-anthropic', { message: 'messages.0: This organization has been disabled.', type: 'invalid_request_error' }],
]

test('a 400 that is not about the request goes on to the next model, and the caller’s own mistake does not', async () => {
  for (const [nr, [row, error]] of [...NOT_THE_CALLERS, ...THE_CALLERS].entries()) {
    provider.reset()
    const text = JSON.stringify({ type: 'error', error })
    provider.next((_, response) => void response.writeHead(400, { 'content-type': 'application/json' }).end(text))
    provider.always(answer({ content: 'Spare' }))
    const { status } = await chat.whole({ ...HELLO, model: `${row}/c${nr}`, fallbacks: ['spare/x'] })
    assert.equal(status, nr < NOT_THE_CALLERS.length ? 200 : 400, text)
  }
})

/** Node writes no status that HTTP does not have, and no answer that begins with 1. */
function answering(status: number): Behaviour {
  const text = status === 204 || status === 304 || status < 200 ? '' : '{"message":"no"}'
  const length = text === '' ? '' : `content-length: ${text.length}\r\n`
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\n${length}connection: close\r\n\r\n`
  return (_, response) => void response.socket?.end(head + text)
}
