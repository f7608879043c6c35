import { setTimeout } from 'node:timers/promises'
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
import { type Chunk, textEvents } from '../fakes/openai-events.ts'
import type { SeenRequest } from '../fakes/provider.ts'
import { type StreamOptions, stream } from '../fakes/stream.ts'

// The ways in which a provider fails, each under the name of a model.

/** The input of a state: the number of earlier calls to this model, the time since the first, and the speed of time. */
export type Scene = { turn: number; sinceFirstMs: number; timeScale: number }
export type State = (scene: Scene) => Behaviour

const WORDS = 60
export const SIXTY = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ')
const OTHER = 'Something else entirely.'
/** Everything in one packet: only the end matters to a state, and sixty packets cost sixty times as much. */
const AT_ONCE = { chunking: 'whole' } as const
const NEVER = new Promise<never>(() => {})
/** The first chunk has the role and no word. */
const OPENING = 1

export const REFUSED_PREFILL = 'This model does not support assistant message prefill.'
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
  'malformed-event': () => stream(withJunk('data: {"choices":[nul\n\n'), AT_ONCE),
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

function later(ms: number, behaviour: Behaviour): Behaviour {
  return async (request, response) => {
    await wait(ms)
    await behaviour(request, response)
  }
}

function wait(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false })
}
