import type { Model } from '../catalog/catalog.ts'
import { problem } from '../contract/problems.ts'
import type { WireResponse } from '../contract/wire.ts'
import { DIALECTS } from '../dialects/index.ts'
import { readText } from '../net/read-text.ts'
import { attempt, type Chance } from './attempt.ts'
import { authorize } from './authorize.ts'
import { type Call, limitCall } from './call.ts'
import type { Outside } from './outside.ts'
import type { ChatTarget } from './route.ts'
import { type Served, targetsOfKind } from './targets-of-kind.ts'

// Endpoints that are the same wherever the OpenAI wire is spoken: the body goes on as it is, under the provider's own name
// of the model.

const MAX_ERROR_BYTES = 256 * 1024

export type Payload = { type: string; body: string | Uint8Array }

export type Question = Served & {
  model: string
  /** What follows the provider's base address. */
  path: string
  headers?: Readonly<Record<string, string>> | null | undefined
  payload(model: string): Payload | Promise<Payload>
  /** What a key of the sandbox gets. */
  simulate(): { type: string; body: string | Uint8Array }
}

export type Answered = { target: ChatTarget; response: WireResponse }

export async function forward(question: Question, call: Call, outside: Outside): Promise<Answered> {
  const targets = targetsOfKind([question.model], question, call.caller, outside)
  for (const target of targets) refuseOtherWires(target, question)
  limitCall(call, targets[0]!.limits.totalMs)
  const asked = call.caller.kind === 'sandbox' ? targets.map((target) => inSandbox(target, outside)) : targets
  const { target, reply } = await attempt(asked, call, outside, (target, chance) => {
    return target.provider.id === 'sandbox' ? simulated(question) : ask(question, target, chance, call, outside)
  })
  call.priceVersion = target.entry?.checked ?? null
  return { target, response: reply }
}

async function ask(question: Question, target: ChatTarget, { credential }: Chance, call: Call, outside: Outside) {
  const { type, body } = await question.payload(target.model)
  const headers = { ...lowered(question.headers ?? {}), 'content-type': type }
  const wire = { method: 'POST' as const, url: target.baseUrl + question.path, headers, body }
  const signed = await authorize(wire, target.provider, credential, outside)
  const response = await outside.send(signed, { signal: call.signal, limits: target.limits })
  if (response.status >= 200 && response.status < 300) return response
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const failure = DIALECTS.openai.chat.problem(response.status, text)
  const wait = response.headers['retry-after']
  if (typeof wait === 'string' && /^\d{1,6}$/.test(wait)) failure.retryAfterSeconds ??= Number(wait)
  throw failure
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

async function simulated(question: Question): Promise<WireResponse> {
  const { type, body } = question.simulate()
  return { status: 200, headers: { 'content-type': type }, body: bytesOf(body) }
}

async function* bytesOf(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? Buffer.from(body) : body
}

/** A sandbox key never reaches a provider, whatever model it names; what it gets costs nothing. */
function inSandbox(target: ChatTarget, { config }: Outside): ChatTarget {
  const entry = target.entry && ({ ...target.entry, price: FREE, per: undefined } as Model)
  return { ...target, provider: config.providers.sandbox!, entry }
}

const FREE = { input: 0, output: 0 }

function refuseOtherWires({ provider, id }: ChatTarget, { endpoint }: Served): void {
  if (provider.dialect === 'openai') return
  const message = `${provider.name} serves '${id}' on a wire of its own, which the ${endpoint} endpoint does not speak.`
  throw problem('unsupported_endpoint', { message, param: 'model' })
}
