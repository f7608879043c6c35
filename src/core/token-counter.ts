import { kindOfStatus } from '../contract/upstream-problem.ts'
import { tryParse } from '../json/try-parse.ts'
import { readText } from '../net/read-text.ts'
import type { CountAsked, Counter } from '../tokens/counters/index.ts'
import { authorize } from './authorize.ts'
import type { Call } from './call.ts'
import { type ChosenCredential, chooseCredential, circuitName } from './credentials.ts'
import { isFailure } from './failures.ts'
import type { Place } from './find-model.ts'
import type { Outside } from './outside.ts'

/** A count that takes longer is of no use to who waits for it before the real request. */
const COUNT_MS = 2_000
const MAX_ANSWER_BYTES = 65_536
const NONE_TRIED: ReadonlySet<number> = new Set()

/** What the provider itself counts; undefined when it does not, for whatever reason. Asked once, never again. */
export async function askCounter(
  counter: Counter,
  place: Place,
  asked: CountAsked,
  call: Call,
  outside: Outside,
): Promise<number | undefined> {
  // A circuit of its own: a counter that is ill says nothing about the model.
  const name = `${place.id} (count)`
  const credential = chooseCredential({ provider: place.provider, id: name }, call, outside.circuits, NONE_TRIED)
  if (!credential) return undefined
  const startedAt = outside.now()
  const circuit = circuitName(name, credential.index)
  outside.circuits.begin(circuit, call)
  const answer = await send(counter, place, asked, credential, call, outside).catch(failed)
  note(circuit, answer, call, outside)
  const durationMs = outside.now() - startedAt
  call.attempts.push({ model: place.id, provider: place.provider.id, outcome: answer.outcome, durationMs })
  outside.metrics.attempted(place.provider.id, answer.outcome)
  call.signal.throwIfAborted()
  return answer.tokens
}

function note(circuit: string, { outcome: because, ill, tokens }: Answer, call: Call, { circuits }: Outside): void {
  if (call.signal.aborted) circuits.undecided(circuit, call)
  else if (ill) circuits.failed(circuit, call, { because })
  else if (tokens === undefined) circuits.reached(circuit, call)
  else circuits.succeeded(circuit, call)
}

type Answer = { outcome: string; ill: boolean; tokens?: number }

async function send(
  counter: Counter,
  { provider, model }: Place,
  asked: CountAsked,
  credential: ChosenCredential,
  call: Call,
  outside: Outside,
): Promise<Answer> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(COUNT_MS)])
  const wire = counter.encode(asked, { baseUrl: provider.baseUrl, model })
  const request = await before(signal, authorize(wire, provider, credential, outside))
  const limits = { headersMs: COUNT_MS, idleMs: COUNT_MS }
  const { status, body } = await before(signal, outside.send(request, { signal, limits, owner: call.caller.owner }))
  const text = await before(signal, readText(body, MAX_ANSWER_BYTES))
  return status >= 200 && status < 300 ? decode(counter, text) : refused(status)
}

function decode(counter: Counter, text: string): Answer {
  const tokens = counter.decode(tryParse(text) ?? {})
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) return { outcome: 'garbage', ill: true }
  return { outcome: 'answered', ill: false, tokens: tokens as number }
}

/** A refused request may hold what only this counter does not take, such as a picture by its address. */
function refused(status: number): Answer {
  const outcome = kindOfStatus(status)
  return { outcome, ill: outcome !== 'bad_request' && outcome !== 'too_large' }
}

function failed(error: unknown): Answer {
  if (isFailure(error)) return { outcome: error.kind, ill: true }
  if (error instanceof DOMException) return { outcome: 'headers_timeout', ill: true }
  throw error
}

/** Not everything on the way ends when the signal is raised. */
function before<T>(signal: AbortSignal, work: T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const leave = () => late.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener('abort', leave))
}
