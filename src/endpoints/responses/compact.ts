import { keepsNothing } from '../../tenants/access/policy.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { costOf, toTokens } from '../../money/billing/token-buckets.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import type { Bill } from '../../calls/order.ts'
import { problem } from '../../contract/problems.ts'
import { type CompactedResponse, CompactRequest } from '../../contract/responses/compact.ts'
import { Notes } from '../../translation/dialects/notes.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import { ownBody } from '../../translation/formats/responses/own-body.ts'
import { readUsage } from '../../translation/formats/responses/usage.ts'
import type { WorstCase } from '../../money/limits/worst-case.ts'
import { pricedFor, USUAL_MAX_OUTPUT } from '../../calls/upstream/bounds/chat-worst-case.ts'
import { longestWriting, mostWritten } from '../../calls/upstream/abandoned-chat.ts'
import { bytesIn, likelyBillOfPrompt, tokenWorstCase } from '../../calls/upstream/bounds/token-worst-case.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../base/schema/record.ts'
import { guardedAnswer, guardedBody } from '../../calls/guardrails/guarded-body.ts'
import { containerOwner } from '../../calls/upstream/containers/container-owner.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { askOnce, type Endpoint, planOf, type TargetReply } from '../../calls/upstream/endpoint-plan.ts'
import { governFields } from '../../calls/upstream/governed-fields.ts'
import { ownItems, signItems } from '../../calls/upstream/containers/owned-items.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { newResponseId } from './response-ids.ts'
import { MB } from '../../base/units/units.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'

const MAX_ANSWER_BYTES = 64 * MB
const SERVED = { kinds: ['chat', 'responses'] as const, endpoint: 'compact' }
/** These name what is stored here, and the input has it all. */
const STATE: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'store', 'model', 'input'])

/** Has a provider shorten a conversation. Only providers that can do this are asked: others could not read the result. */
export function compact(
  body: CompactRequest,
  items: readonly Fields[],
  call: Call,
  services: CallServices,
): Promise<CompactedResponse> {
  const plan = async () => {
    const guarded = await guardedBody({ ...body, input: items.map(unsealed) }, call, services)
    const checked = guarded.input.map((item, at) => ({ ...item, ...sealIn(items[at]!) }))
    return planOf(compaction(guarded, checked, call, services), call, services)
  }
  return runCall(plan, call, services)
}

/** Guardrails cannot read what only the provider can. */
function unsealed({ encrypted_content: _, ...item }: Fields): Fields {
  return item
}

function sealIn({ encrypted_content }: Fields): Fields {
  return encrypted_content === undefined ? {} : { encrypted_content }
}

async function guardedReply(reply: Fields, asked: CompactRequest, call: Call, services: CallServices): Promise<Fields> {
  const output = recordsIn(reply.output)
  const texts = await guardedAnswer({ ...reply, output: output.map(unsealed) }, asked, call, services)
  return { ...texts, output: texts.output.map((item, at) => ({ ...item, ...sealIn(output[at]!) })) }
}

function compaction(
  body: CompactRequest,
  items: readonly Fields[],
  call: Call,
  services: CallServices,
): Endpoint<Fields, CompactedResponse> {
  const own = ownItems(items, containerOwner({ call, services }))
  call.record.note(own.notes)
  const options = optionsOf(body)
  return {
    ...SERVED,
    model: body.model,
    fallbacks: body.fallbacks,
    isCustomized: () => isCustomized(body, CompactRequest),
    check: refuseOther,
    speaks: ({ hasResponses }) => hasResponses === true,
    worstCase: (target) => compactionWorstCase(body, own.items, target),
    ask: (attempt) =>
      askOnce(attempt, {
        likelyBill: (laterMs) => likelyBill(body, own.items, attempt, laterMs),
        billMoments: () => billMomentsOf(attempt),
        ask: async (exchange) => {
          const { target } = attempt
          const text = writeJson(bodyFor(target, options, own.items, call), options)
          const headers = { 'content-type': 'application/json' }
          const wire = { method: 'POST' as const, url: `${target.baseUrl}/responses/compact`, headers, body: text }
          return compactionIn(await exchange.read(await exchange.send(wire), MAX_ANSWER_BYTES))
        },
        simulate: () => simulated(own.items),
        billOf: (reply) => billOf(reply, attempt.target),
      }),
    present: async ({ target, reply }) =>
      present({ target, reply: await guardedReply(reply, body, call, services) }, call, services),
  }
}

/** The prompt, and as much as the model can have written meanwhile. */
function likelyBill(body: CompactRequest, items: readonly Fields[], attempt: ChatAttempt, laterMs: number): Bill {
  const { target, startedAt, services } = attempt
  const ms = services.monotonic() - startedAt + laterMs
  const written = mostWritten(ms, longestOf(target), services.observations.fastestOf(target.id))
  return likelyBillOfPrompt(pricedBy(body, target), bytesIn(optionsOf(body)) + bytesIn(items), written)
}

function billMomentsOf({ target, startedAt, services }: ChatAttempt): number[] {
  const writingMs = longestWriting(longestOf(target).each, services.observations.fastestOf(target.id))
  return [writingMs - (services.monotonic() - startedAt)].filter((ms) => ms > 0)
}

function billOf({ usage: reported, service_tier }: Fields, { entry }: ChatTarget): Bill {
  const usage = readUsage(reported, [])
  const tokens = usage && toTokens(usage)
  return { cost: tokens ? costOf(tokens, entry?.price, textOf(service_tier)) : null, tokens }
}

/** The model reads the whole conversation, and writes as much as it can. */
function compactionWorstCase(body: CompactRequest, items: readonly Fields[], target: ChatTarget): WorstCase {
  return tokenWorstCase(pricedBy(body, target), bytesIn(body) + bytesIn(items), longestOf(target).each)
}

function longestOf({ entry }: ChatTarget) {
  return { answers: 1, each: entry?.output ?? USUAL_MAX_OUTPUT }
}

function pricedBy(body: CompactRequest, { entry }: ChatTarget) {
  return pricedFor(entry, [body])
}

function refuseOther({ id, hasResponses, provider }: ChatTarget): void {
  if (!hasResponses || provider.simulated) throw cannot(`${provider.name} has no such endpoint for '${id}'.`)
}

/** What is sent beside the items. */
function optionsOf(body: CompactRequest): Fields {
  const isSent = (name: string) => !GATEWAY_FIELDS.has(name) && !STATE.has(name)
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => isSent(name) && value != null))
}

/** Sandbox keys get the shape: the messages of the user, followed by one item for everything else. */
function simulated(items: readonly Fields[]): Fields {
  const userMessages = items.filter(({ type = 'message', role }) => type === 'message' && role === 'user')
  const compaction = { type: 'compaction', id: 'cmp_sandbox', encrypted_content: 'sandbox' }
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } }
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...details }
  return { output: [...userMessages, compaction], usage }
}

function bodyFor({ provider, model }: ChatTarget, options: Fields, items: readonly Fields[], call: Call): Fields {
  const notes = new Notes()
  const { input } = ownBody({ input: items }, provider.id, notes)
  call.record.note(notes.list)
  const governed = governFields(options, CompactRequest.properties, provider, keepsNothing(call.caller.policy))
  if (governed) call.record.note(governed.notes)
  if (governed?.isUnpriced) call.spending.missesFees()
  return { ...(governed?.fields ?? options), input, model }
}

function compactionIn(text: string): Fields {
  const wire = tryParse(text)
  if (isRecord(wire) && Array.isArray(wire.output)) return wire
  throw new UpstreamProblem('garbage', 'the answer of the provider contains no compaction')
}

/** The items keep the provider's ids, because the provider has to recognize them. */
function present(
  { target, reply }: TargetReply<Fields>,
  call: Call,
  services: Pick<CallServices, 'now' | 'links' | 'newId'>,
): CompactedResponse {
  signItems(reply.output, containerOwner({ call, services }))
  const created = Number.isSafeInteger(reply.created_at) ? Number(reply.created_at) : Math.floor(services.now() / 1000)
  return {
    ...reply,
    id: newResponseId(services),
    object: 'response.compaction',
    created_at: created,
    output: reply.output as Fields[],
    usage: isRecord(reply.usage) ? reply.usage : null,
    cost: knownCost(call),
    provider: target.provider.id,
  }
}

function cannot(reason: string) {
  const message = `This conversation cannot be compacted: ${reason} Models of OpenAI and Azure with their own responses endpoint can do it.`
  return problem('not_implemented', { message, param: 'model' })
}
