import type { ReplayedGuardrail, ReplayGuardrailRequest } from '../../contract/admin/guardrails.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { isRecord } from '../../base/schema/record.ts'
import { MB } from '../../base/units/units.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost, newCall } from '../../calls/call.ts'
import { type CallRecord, newRecord } from '../../calls/call-record.ts'
import type { KeptCall } from '../../calls/contents/kept-calls.ts'
import { Guards } from '../../calls/guardrails/guards.ts'
import { NO_LABELS } from '../../calls/labels.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { GATEWAY_OWNER } from '../../translation/wire/wire.ts'
import { modelToolsFor } from './model-tools.ts'

// What a guardrail would have done with calls whose contents are kept. Nothing is changed, and no text is answered.

const REPLAY_MS = 20_000
const MAX_CHARS = 8 * MB
/** Each of them reads contents and keeps the event loop busy. */
const MAX_RUNNING = 2
let running = 0

type Replaying = {
  /** The newest first. */
  kept: AsyncIterable<KeptCall>
  ask: ReplayGuardrailRequest['ask']
  payer(): Promise<Caller>
  services: CallServices
}

export async function replayGuardrail(guardrail: Guardrail, replaying: Replaying): Promise<ReplayedGuardrail> {
  if (running >= MAX_RUNNING) throw problem('overloaded', { retryAfterSeconds: 5 })
  running++
  try {
    return await replayed(guardrail, replaying)
  } finally {
    running--
  }
}

async function replayed(guardrail: Guardrail, { kept, ask, payer, services }: Replaying): Promise<ReplayedGuardrail> {
  const outside = guardrail.checks.filter(({ name }) => CHECKS[name].kind !== 'local').map(({ name }) => name)
  const signal = AbortSignal.timeout(REPLAY_MS)
  const replay = new Replay({ ...guardrail, mode: 'shadow', sample: 1 }, signal, services)
  if (!ask || outside.length === 0) return { ...(await replay.run(kept)), not_asked: [...new Set(outside)] }
  const { newId, monotonic } = services
  const call = newCall({
    id: newId(),
    caller: await payer(),
    endpoint: 'universal',
    startedAt: monotonic(),
    signal,
    wantsMetadata: false,
  })
  const answer = await runParts(() => replay.run(kept, call), call, services)
  return { ...answer, cost: knownCost(call) }
}

type Outcome = ReplayedGuardrail['requests'][number]['outcome']
/** The strongest first. */
const OUTCOMES: readonly Outcome[] = ['would_block', 'would_redact', 'flagged', 'unscanned']

class Replay {
  readonly #guardrail: Guardrail
  readonly #signal: AbortSignal
  readonly #services: CallServices

  constructor(guardrail: Guardrail, signal: AbortSignal, services: CallServices) {
    this.#guardrail = guardrail
    this.#signal = signal
    this.#services = services
  }

  async run(kept: AsyncIterable<KeptCall>, call?: Call): Promise<ReplayedGuardrail> {
    const counts = { calls: 0, passed: 0, flagged: 0, would_redact: 0, would_block: 0, unscanned: 0 }
    const requests: ReplayedGuardrail['requests'] = []
    const answer = { ...counts, is_complete: true, not_asked: [], requests, cost: 0 }
    let chars = 0
    for await (const one of kept) {
      chars += one.chars
      const record = chars > MAX_CHARS || this.#signal.aborted ? undefined : await this.#look(one, call)
      if (!record) return { ...answer, is_complete: false }
      const { guardrails } = record
      const outcome = OUTCOMES.find((known) => guardrails.some((run) => run.outcome === known))
      answer.calls++
      answer[outcome ?? 'passed']++
      const found = guardrails.flatMap(({ check, rules }) => rules.map((rule) => `${check}: ${rule}`))
      if (outcome) requests.push({ id: one.id, outcome, found: [...new Set(found)] })
    }
    return answer
  }

  /** Undefined if the time is over. */
  async #look({ id, request, answer }: KeptCall, call: Call | undefined): Promise<CallRecord | undefined> {
    const record = newRecord(NO_LABELS)
    const guards = this.#guards(id, record, call)
    const { messages, ...rest } = isRecord(request) ? request : { request }
    try {
      for (const message of Array.isArray(messages) ? messages : [messages ?? null])
        await guards.value(message, isToolResult(message) ? 'tool_results' : 'input')
      await guards.value(rest, 'input')
      await guards.value(answer, 'output')
    } catch (error) {
      if (this.#signal.aborted) return undefined
      if (!(error instanceof Problem) || error.code !== 'too_large') throw error
      record.guarded({ guardrail: this.#guardrail.id, check: null, outcome: 'unscanned' }, error.code)
    }
    return record
  }

  #guards(id: string, record: CallRecord, call: Call | undefined): Guards {
    const services = this.#services
    const modelTools = (signal: AbortSignal) => modelToolsFor(call!, signal, services)
    const caller = call?.caller ?? { owner: GATEWAY_OWNER, organization: '', project: '', keyId: '' }
    const looking = { id, caller, endpoint: call?.endpoint ?? 'chat', record, signal: this.#signal }
    const outside = call && { services, modelTools }
    return new Guards([this.#guardrail], looking, { placeholders: new Placeholders(), services, outside })
  }
}

function isToolResult(message: unknown): boolean {
  return isRecord(message) && (message.role === 'tool' || message.role === 'function')
}
