import { setImmediate, setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  answer,
  type Behaviour,
  closeBeforeHeaders,
  emptyBody,
  failure,
  html,
  silence,
  status,
} from '../fakes/behaviours.ts'
import { type Chunk, textEvents, toolEvents } from '../fakes/openai-events.ts'
import type { SeenRequest } from '../fakes/provider.ts'
import { type StreamOptions, stream } from '../fakes/stream.ts'

// The ways in which a provider fails, each under the name of a model.

/** The input of a state: the number of earlier calls to this model, the time since the first, and the speed of time. */
type Scene = { turn: number; sinceFirstMs: number; timeScale: number }
type State = (scene: Scene) => Behaviour

const WORDS = 60
export const SIXTY = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ')
const OTHER = 'Something else entirely.'
/** Everything in one packet: only the end matters to a state, and sixty packets cost sixty times as much. */
const AT_ONCE = { chunking: 'whole' } as const
const NEVER = new Promise<never>(() => {})
/** The first chunk has the role and no word. */
const OPENING = 1
const TURNS = 5
const DONE = 'data: [DONE]\n\n'
const CALLED = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n'

const REFUSED_PREFILL = 'This model does not support assistant message prefill.'
export const POLICY_REASON = 'Your request was rejected by our safety system.'
export const OVERLOADED = 'The engine is overloaded.'

const ok: State = () => say(SIXTY)
const overloaded = failure(503, { message: OVERLOADED })
const rateLimited = (retryAfter?: string) => {
  return failure(429, { message: 'Slow down.' }, retryAfter ? { 'retry-after': retryAfter } : {})
}
const FAR_AWAY = 'Fri, 31 Dec 2100 23:59:59 GMT'

export const STATES: Record<string, State> = {
  ok,
  'never-asked': ok,
  other: () => say(OTHER),
  'takes-prefill': () => goOn,
  'refuses-prefill': () => (request, response) =>
    (prefillOf(request) === undefined ? say(SIXTY) : failure(400, { message: REFUSED_PREFILL }))(request, response),

  '429-once-retry-after-1': once(rateLimited('1')),
  '429-for-ever': () => rateLimited(),
  '429-once-retry-after-minus-1': once(rateLimited('-1')),
  '429-once-retry-after-1e9': once(rateLimited('1e9')),
  '429-once-retry-after-a-date': once(rateLimited(FAR_AWAY)),
  '429-once-retry-after-a-day': once(rateLimited('86400')),
  '401': () => failure(401, { message: 'Incorrect API key provided.' }),
  '408': () => failure(408),
  '409': () => failure(409),
  '500-once': once(failure(500)),
  '500': () => failure(500),
  '502': () => html(502),
  '503-for-ever': () => overloaded,
  '503-after-4': ({ timeScale }) => later(4_000 * timeScale, overloaded),
  '504': () => failure(504),
  reset: () => closeBeforeHeaders('rst'),
  'reset-once': once(closeBeforeHeaders('rst')),
  garbage: () => status(200, '{"choices":[{"mess', { 'content-type': 'application/json' }),
  'empty-body': () => emptyBody(),
  'context-length': () => failure(400, { message: 'no', code: 'context_length_exceeded' }),
  'content-policy': () => failure(400, { message: POLICY_REASON, code: 'content_policy_violation' }),
  'down-for-60': (scene) => (scene.sinceFirstMs < 60_000 ? overloaded : ok(scene)),

  silent: () => silence(),
  'slow-first-token': ({ timeScale }) => stream([': soon\n\n', ...sixty()], { waitFor: wait(20_000 * timeScale) }),
  'cut-0-of-60': () => part(0, { end: 'fin' }),
  'cut-40-of-60': () => part(40, { end: 'fin' }),
  'cut-40-of-60-once': once(part(40, { end: 'fin' })),
  'stall-20': () => part(20, { end: 'clean', waitFor: NEVER }),
  'keep-alive-data': () => stream(withJunk('data: keep-alive\n\n'), AT_ONCE),
  'unreadable-event': () => instead('data: {"choices":[{"index":0,"delta":{"content":" wo\n\n'),
  'unreadable-event-once': once(instead('data: {"choices":[{"index":0,"delta":{"content":" wo\n\n')),
  'not-utf8-once': once(instead('data: {"choices":[{"index":0,"delta":{"content":" \xff"}}]}\n\n')),
  'flat-error-once': once(instead('event: error\ndata: {"message":"boom"}\n\n')),
  'plain-error': () => instead('event: error\ndata: boom\n\n'),
  'error-object': () => instead('data: {"object":"error","message":"boom","code":50001}\n\n'),
  'done-no-finish': () => inTwoReads(words(), [DONE]),
  'done-no-finish-once': once(inTwoReads(words(), [DONE])),
  'cut-arguments': () => cutCall(CALLED),
  'cut-arguments-done': () => cutCall(),
  'whole-for-stream': () => answer({ content: SIXTY }),
  gzipped: () => gzipped,
  'no-done': () => stream(sixty(), { ...AT_ONCE, end: 'clean' }),
  'no-done-no-finish': () => part(WORDS, { end: 'clean' }),
}

function once(fault: Behaviour): State {
  return (scene) => (scene.turn === 0 ? fault : ok(scene))
}

/** Answers whole or streamed, as requested. */
function say(text: string): Behaviour {
  return (request, response) => {
    const { stream: streamed } = request.body as { stream?: boolean }
    return (streamed ? stream(textEvents(text), AT_ONCE) : answer({ content: text }))(request, response)
  }
}

/** Continues the last message, if that is a prefix of the sixty words. */
const goOn: Behaviour = (request, response) => {
  const begun = prefillOf(request) ?? ''
  return say(SIXTY.startsWith(begun) ? SIXTY.slice(begun.length) : OTHER)(request, response)
}

function prefillOf({ body }: SeenRequest): string | undefined {
  const { messages } = body as { messages: { role: string; content: string }[] }
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.content : undefined
}

function sixty(): Chunk[] {
  return textEvents(SIXTY)
}

function part(words: number, options: StreamOptions): Behaviour {
  return stream(sixty().slice(0, words + OPENING), { ...AT_ONCE, ...options })
}

function withJunk(junk: string): (Chunk | string)[] {
  const events = sixty()
  return [...events.slice(0, 30), junk, ...events.slice(30)]
}

/** Forty words, something in the place of the next, the rest. */
function instead(broken: string): Behaviour {
  const events = sixty().map(toText)
  return inTwoReads(events.slice(0, 40 + OPENING), [broken, ...events.slice(41 + OPENING), DONE])
}

/** A turn of the event loop between two writes keeps them from arriving as one. */
function inTwoReads(before: string[], after: string[]): Behaviour {
  return async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(before.join(''))
    for (let turns = 0; turns < TURNS; turns++) await setImmediate()
    response.end(Buffer.from(after.join(''), 'latin1'))
  }
}

function cutCall(...end: string[]): Behaviour {
  const events = toolEvents([{ id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }], { usage: null })
  return inTwoReads(events.slice(0, -2).map(toText), [...end, DONE])
}

function words(): string[] {
  return sixty()
    .slice(0, WORDS + OPENING)
    .map(toText)
}

function toText(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

const gzipped: Behaviour = (_, response) => {
  const events = [...sixty().map(toText), DONE]
  response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
  response.end(gzipSync(events.join('')))
}

function later(ms: number, behaviour: Behaviour): Behaviour {
  return async (request, response) => {
    await wait(ms)
    await behaviour(request, response)
  }
}

function wait(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false })
}
