import { type ModerationsReply, ModerationsRequest, DEFAULT_MODERATION_MODEL } from '../../contract/moderations.ts'
import { notAnAnswer } from '../../translation/dialects/answer-problems.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { toTokens } from '../../money/billing/token-buckets.ts'
import { costOfWork } from '../../money/billing/work-price.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import type { Bill } from '../../calls/order.ts'
import type { ModelObject } from '../../contract/models.ts'
import { listModels, oneModel } from '../../calls/routing/models.ts'
import { completed } from '../../calls/routing/alias-defaults.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { askOnce, type Endpoint, type Exchange, planOf } from '../../calls/upstream/endpoint-plan.ts'
import { governFields } from '../../calls/upstream/governed-fields.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import {
  bytesIn,
  bytesOfUnknown,
  likelyBillOfPrompt,
  tokenWorstCase,
} from '../../calls/upstream/bounds/token-worst-case.ts'
import { guardedBody } from '../../calls/guardrails/guarded-body.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { type Fields, isRecord } from '../../base/schema/record.ts'
import { MB } from '../../base/units/units.ts'
import { keepWritten, writeJson } from '../../translation/json/written-numbers.ts'

const MAX_ANSWER_BYTES = 16 * MB

export function moderate(body: ModerationsRequest, call: Call, services: CallServices): Promise<ModerationsReply> {
  const model = body.model ?? defaultModel(call, services)
  const plan = async () => planOf(moderations(model, await guardedBody(body, call, services), call), call, services)
  return runCall(plan, call, services)
}

/** OpenAI's default, or if this key cannot call it, an alias of the operator, or else the first model that it can call. */
function defaultModel({ caller }: Call, services: CallServices): string {
  const model = oneModel(DEFAULT_MODERATION_MODEL, caller, services, [])
  if (model?.shown.available) return DEFAULT_MODERATION_MODEL
  const isReal = ({ owned_by }: ModelObject) => !services.config.providers[owned_by]?.simulated
  const others = listModels(caller, services, { type: 'moderation', all: false, reported: [] }).filter(isReal)
  return (others.find(({ alias_of }) => alias_of) ?? others[0])?.id ?? DEFAULT_MODERATION_MODEL
}

function moderations(model: string, body: ModerationsRequest, call: Call): Endpoint<Wire, ModerationsReply> {
  const options = keepWritten(
    Object.fromEntries(Object.entries(body).filter(([field]) => !GATEWAY_FIELDS.has(field))),
    body,
  )
  const bytes = () => bytesIn(body.input) + bytesOfUnknown(body, ModerationsRequest)
  return {
    model,
    fallbacks: body.fallbacks,
    kinds: ['moderation'],
    endpoint: 'moderations',
    isCustomized: () => isCustomized(body, ModerationsRequest),
    speaks: ({ provider }) => provider.dialect === 'openai',
    worstCase: ({ entry }) => tokenWorstCase(entry, bytes()),
    ask: (attempt) =>
      askOnce(attempt, {
        likelyBill: () => likelyBillOfPrompt(attempt.target.entry, bytes()),
        ask: (exchange) => judge(options, attempt.target, exchange),
        simulate: () => simulated(body),
        billOf: (wire) => billOf(wire, attempt.target),
      }),
    notesFor: ({ provider }) => governFields(options, ModerationsRequest.properties, provider)?.notes ?? [],
    present: ({ target, reply }) => {
      return { ...reply, model: target.id, cost: knownCost(call), provider: target.provider.id }
    },
  }
}

async function judge(options: Fields, target: ChatTarget, exchange: Exchange): Promise<Wire> {
  const { baseUrl, model, provider } = target
  const headers = { 'content-type': 'application/json' }
  const governed = governFields(options, ModerationsRequest.properties, provider)
  const text = writeJson({ ...completed(governed?.fields ?? options, target), model }, options)
  const response = await exchange.send({ method: 'POST', url: `${baseUrl}/moderations`, headers, body: text })
  return judgementIn(await exchange.read(response, MAX_ANSWER_BYTES))
}

type Counts = { prompt_tokens?: number; completion_tokens?: number }
type Wire = Record<string, unknown> & Pick<ModerationsReply, 'id' | 'results'> & { usage?: Counts }

function judgementIn(text: string): Wire {
  const wire = tryParse(text) as Wire | undefined
  if (!Array.isArray(wire?.results)) throw notAnAnswer(text, 'a moderation result')
  return wire
}

/** Most providers report no usage, because moderation is free. */
function billOf({ usage = {} }: Wire, { entry }: ChatTarget): Bill {
  const { prompt_tokens = 0, completion_tokens = 0 } = usage
  const tokens = toTokens({ prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens })
  return { cost: costOfWork(entry, { tokens }), tokens }
}

/** With the kinds of input to which they apply. */
const CATEGORIES: Record<string, readonly string[]> = {
  harassment: ['text'],
  'harassment/threatening': ['text'],
  hate: ['text'],
  'hate/threatening': ['text'],
  illicit: ['text'],
  'illicit/violent': ['text'],
  'self-harm': ['text', 'image'],
  'self-harm/instructions': ['text', 'image'],
  'self-harm/intent': ['text', 'image'],
  sexual: ['text', 'image'],
  'sexual/minors': ['text'],
  violence: ['text', 'image'],
  'violence/graphic': ['text', 'image'],
}
/** The category that the sandbox flags. */
const FLAGGED = /\bviolence\b/i

function simulated({ input }: ModerationsRequest) {
  const inputs = typeof input === 'string' ? [input] : input
  const isParts = inputs.some((one) => typeof one === 'object')
  const judged = isParts ? [JSON.stringify(inputs)] : (inputs as string[])
  const kinds = isParts ? kindsIn(inputs) : ['text']
  return { id: 'modr-sandbox', results: judged.map((text) => judgement(FLAGGED.test(text), kinds)) }
}

function kindsIn(parts: readonly unknown[]): string[] {
  const types = new Set(parts.map((part) => (isRecord(part) && part.type === 'image_url' ? 'image' : 'text')))
  return [...types]
}

function judgement(flagged: boolean, kinds: readonly string[]) {
  const each = <Value>(of: (category: string) => Value) =>
    Object.fromEntries(Object.keys(CATEGORIES).map((category) => [category, of(category)]))
  return {
    flagged,
    categories: each((category) => flagged && category === 'violence'),
    category_scores: each((category) => (flagged && category === 'violence' ? 0.9 : 0.01)),
    category_applied_input_types: each((category) => CATEGORIES[category]!.filter((kind) => kinds.includes(kind))),
  }
}
