import { kindOfStatus } from '../../translation/wire/upstream-problem.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { readText } from '../../platform/net/read-text.ts'
import type { CountRequest, Counter } from './counters/index.ts'
import { authorize } from '../../calls/upstream/authorize.ts'
import type { Call } from '../../calls/call.ts'
import { type ChosenCredential, chooseCredential, circuitName } from '../../calls/attempts/credentials.ts'
import type { Requester } from '../../calls/attempts/circuits.ts'
import { isFailure } from '../../calls/attempts/failures.ts'
import type { ResolvedModel } from '../../calls/routing/names/resolved-model.ts'
import { CountTokensRequest } from '../../contract/tokens.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { newSendReport } from '../../translation/wire/wire.ts'
import type { CallServices } from '../../calls/services/call-services.ts'

const MAX_ANSWER_BYTES = 65_536
const NONE_TRIED: ReadonlySet<number> = new Set()

type CountQuestion = { counter: Counter; resolved: ResolvedModel; input: CountRequest }

/** The provider's own count, or undefined if it does not answer, for whatever reason. There is no second attempt. */
export async function askCounter(
  question: CountQuestion,
  call: Call,
  services: CallServices,
): Promise<number | undefined> {
  const { resolved } = question
  // The counter has its own circuit, because its failures say nothing about the model.
  const name = `${resolved.via?.address ? `${resolved.id}@${resolved.via.address}` : resolved.id} (count)`
  const target = { provider: resolved.provider, id: name, credential: resolved.via?.credential }
  const requester = requesterOf(question.input, call)
  const credential = chooseCredential(target, requester, services.circuits, NONE_TRIED)
  if (!credential) return undefined
  const startedAt = services.monotonic()
  const circuit = circuitName({ id: name }, credential.index)
  services.circuits.begin(circuit, requester)
  const report = newSendReport()
  const answer = await send(question, credential, call, services).catch(failed)
  note(circuit, answer, { requester, call, services })
  const durationMs = services.monotonic() - startedAt
  call.record.attempted({
    model: resolved.id,
    provider: resolved.provider.id,
    outcome: answer.outcome,
    durationMs,
    startedAt,
    credential: credential.name ?? null,
    wire: report,
    reason: null,
    providerRow: resolved.provider,
  })
  services.metrics.attempted(resolved.provider.id, answer.outcome)
  call.signal.throwIfAborted()
  return answer.tokens
}

function note(
  circuit: string,
  { outcome: because, unhealthy, tokens }: Answer,
  { requester, call, services: { circuits } }: { requester: Requester; call: Call; services: CallServices },
): void {
  if (call.signal.aborted) circuits.undecided(circuit, requester)
  else if (unhealthy) circuits.failed(circuit, requester, { because })
  else if (tokens === undefined) circuits.reached(circuit, requester)
  else circuits.succeeded(circuit, requester)
}

function requesterOf({ request, betas }: CountRequest, { caller }: Call): Requester {
  return { caller, isCustomized: () => betas !== undefined || isCustomized(request, CountTokensRequest) }
}

type Answer = { outcome: string; unhealthy: boolean; tokens?: number }

async function send(
  { counter, resolved: { provider, model }, input }: CountQuestion,
  credential: ChosenCredential,
  call: Call,
  services: Pick<CallServices, 'countTokensMs' | 'now' | 'accessTokens' | 'send'>,
): Promise<Answer> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(services.countTokensMs)])
  const wire = counter.encode(input, { provider: provider.id, baseUrl: provider.baseUrl, model })
  const request = await before(signal, authorize(wire, provider, credential, services))
  const timeouts = { headersMs: services.countTokensMs, idleMs: services.countTokensMs }
  const { status, body } = await before(signal, services.send(request, { signal, timeouts, owner: call.caller.owner }))
  const text = await before(signal, readText(body, MAX_ANSWER_BYTES))
  return status >= 200 && status < 300 ? decode(counter, text) : refused(status)
}

function decode(counter: Counter, text: string): Answer {
  const tokens = counter.decode(tryParse(text) ?? {})
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) return { outcome: 'garbage', unhealthy: true }
  return { outcome: 'answered', unhealthy: false, tokens: tokens as number }
}

/** A refused request may contain something that only the counter does not accept, such as the URL of an image. */
function refused(status: number): Answer {
  const outcome = kindOfStatus(status)
  return { outcome, unhealthy: outcome !== 'bad_request' && outcome !== 'too_large' }
}

function failed(error: unknown): Answer {
  if (isFailure(error)) return { outcome: error.kind, unhealthy: true }
  if (error instanceof DOMException) return { outcome: 'headers_timeout', unhealthy: true }
  throw error
}

/** Rejects when the signal is raised, because some of the work does not watch the signal. */
function before<T>(signal: AbortSignal, work: T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const leave = () => late.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener('abort', leave))
}
