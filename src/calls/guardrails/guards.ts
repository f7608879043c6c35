import type { ChatRequest, Message } from '../../contract/chat.ts'
import { problem } from '../../contract/problems.ts'
import { CHECK_NAMES } from '../../contract/admin/guardrails.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { covers } from '../../tenants/access/caller.ts'
import type { CheckedText, GuardPhase, LocalCheck } from '../../translation/guardrails/check.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { LocalPass, type LocalStep } from '../../translation/guardrails/local-pass.ts'
import type { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { OutOfSteps, StepBudget } from '../../translation/hooks/step-budget.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { LongWork } from '../../translation/hooks/long-work.ts'
import type { Call } from '../call.ts'
import type { GuardrailOutcome } from '../call-record.ts'
import type { CallServices } from '../services/call-services.ts'
import { GuardrailBlock } from './guardrail-block.ts'
import {
  type GuardedValue,
  guardedFields,
  guardedMessage,
  guardedValue,
  INPUT,
  OUTPUT,
  TOOL_ARGUMENTS,
  TOOL_RESULTS,
} from './guarded-texts.ts'

/** For all local checks of a call together: a second or two, in slices. */
const MAX_STEPS = 40_000_000
/** What is checked before others have their turn: about a millisecond. */
const SLICE_CHARS = 65_536

type Guarded = Pick<Call, 'id' | 'caller' | 'endpoint' | 'record'>
type Needs = Pick<CallServices, 'guardrails' | 'loopSlot'>
type Side = 'input' | 'output'

/**
 * The guardrails that apply to a call; undefined if there are none, so that most calls pay nothing for them. `models` are all names of
 * models that the call may be about: the requested one and those of its targets.
 */
export function openGuards(
  call: Guarded,
  models: () => readonly string[],
  placeholders: Placeholders,
  services: Needs,
): Guards | undefined {
  const ofCaller = services.guardrails.ofCaller(call.caller)
  if (ofCaller.length === 0) return undefined
  const active = ofCaller.filter((guardrail) => concerns(guardrail, call, models))
  return active.length > 0 ? new Guards(active, call, placeholders, services) : undefined
}

function concerns(
  { id, endpoints, models, sample }: Guardrail,
  call: Guarded,
  named: () => readonly string[],
): boolean {
  if (endpoints && !endpoints.some((endpoint) => endpoint === call.endpoint)) return false
  if (models && !models.some((pattern) => named().some((model) => covers(pattern, model)))) return false
  return sample >= 1 || fractionOf(`${id} ${call.id}`) < sample
}

const FNV_PRIME = 16_777_619
const FNV_START = 2_166_136_261

/** The same for all parts of a call. */
function fractionOf(text: string): number {
  let hash = FNV_START
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return (hash >>> 0) / 2 ** 32
}

/** What a phase is a part of: `input` includes results of tools, and `output` the arguments of their calls. */
const SIDES: Readonly<Record<GuardPhase, Side>> = {
  input: 'input',
  tool_results: 'input',
  output: 'output',
  tool_arguments: 'output',
}

/** A check of a guardrail inside of the gateway. */
type OwnStep = LocalStep & { guardrail: Guardrail; check: string; side: Side }
export type TextPass = LocalPass<OwnStep>

/** The guardrails of one call at work. */
export class Guards {
  readonly #guardrails: readonly Guardrail[]
  readonly #call: Guarded
  readonly #services: Needs
  readonly #placeholders: Placeholders
  readonly #budget = new StepBudget(MAX_STEPS)
  readonly #steps = new Map<GuardPhase, readonly OwnStep[]>()

  constructor(guardrails: readonly Guardrail[], call: Guarded, placeholders: Placeholders, services: Needs) {
    this.#guardrails = guardrails
    this.#call = call
    this.#placeholders = placeholders
    this.#services = services
    for (const { id } of guardrails) call.record.guarded({ guardrail: id, check: null, outcome: 'passed' })
  }

  /** Whether anything is looked at on this side. */
  checks(side: Side): boolean {
    return this.#guardrails.some(({ phases }) => phases.some((phase) => SIDES[phase] === side))
  }

  /** Whether what is found may have to be kept from passing. */
  enforces(side: Side): boolean {
    return this.#guardrails.some(
      ({ phases, mode, action }) =>
        mode === 'enforce' && action !== 'flag' && phases.some((phase) => SIDES[phase] === side),
    )
  }

  /** The chat as it may be sent. Throws if it is blocked. */
  async request(request: ChatRequest): Promise<ChatRequest> {
    if (!this.checks('input')) return request
    await this.#reserve(request)
    if (request.messages.some(hasFile)) this.#unscanned('file')
    const messages: Message[] = []
    for (const message of request.messages)
      messages.push(await this.#checked(guardedMessage(message, isToolResult(message) ? TOOL_RESULTS : INPUT), message))
    const fields = await this.#checked(guardedFields(request), request)
    if (messages.every((message, at) => message === request.messages[at])) return fields
    return { ...fields, messages }
  }

  /**
   * A request in a format of a client, whose translation was checked. What only that format says is checked here; it is not sent as
   * the client wrote it, because it may have more than its translation.
   */
  async native(native: NativeAsk): Promise<NativeAsk> {
    const guarded = this.enforces('output') ? { ...native, isAnswerGuarded: true } : native
    if (!this.enforces('input')) return guarded
    const { write: _, body, ...asked } = guarded
    const own = Object.fromEntries(Object.entries(body).filter(([name]) => !TRANSLATED.has(name)))
    return { ...asked, body: { ...body, ...(await this.value(own, 'input')) }, isStale: true }
  }

  /** Any other JSON. Throws if it is blocked. */
  async value<Value>(value: Value, phase: GuardPhase): Promise<Value> {
    return this.checks(SIDES[phase]) ? await this.#checked(guardedValue(value, PHASES[phase]), value) : value
  }

  /** A message of an answer, or a part of one, as it may be passed on. Throws if it is blocked. */
  async answered<Part extends object>(message: Part): Promise<Part> {
    return await this.#checked(guardedMessage(message, OUTPUT), message)
  }

  /** Whether nothing in it has to be replaced: for what makes no sense, or no longer counts, with other texts. Throws if it is blocked. */
  passesAsItIs(value: object): boolean {
    return guardedMessage(value, OUTPUT).texts.every(({ text, phase }) => this.#passesNow(text, phase))
  }

  #passesNow(text: string, phase: GuardPhase): boolean {
    const pass = this.open(phase)
    if (!pass) return true
    this.pass(pass, text)
    this.end(pass)
    return pass.changedBy === undefined
  }

  /** Like `answered`, for a part of a stream. */
  answeredNow<Part extends object>(message: Part): Part {
    const guarded = guardedMessage(message, OUTPUT)
    let isChanged = false
    const texts = guarded.texts.map(({ text, phase, isFixed }) => {
      const pass = this.open(phase)
      if (!pass) return text
      const passed = this.pass(pass, text) + this.end(pass)
      if (isFixed && pass.changedBy) throw this.#blockOf(pass.changedBy)
      isChanged ||= passed !== text
      return passed
    })
    return isChanged ? guarded.with(texts) : message
  }

  async #checked<Value>(guarded: GuardedValue<Value>, value: Value): Promise<Value> {
    const texts: string[] = []
    let isChanged = false
    for (const checked of guarded.texts) {
      const text = await this.#text(checked)
      isChanged ||= text !== checked.text
      texts.push(text)
    }
    return isChanged ? guarded.with(texts) : value
  }

  async #text({ text, phase, isFixed }: CheckedText): Promise<string> {
    const pass = this.open(phase)
    if (!pass) return text
    let passed = ''
    for (let at = 0; at < text.length; at += SLICE_CHARS) {
      if (at > 0) await this.#services.loopSlot(this.#call.caller.owner)
      passed += this.pass(pass, text.slice(at, at + SLICE_CHARS))
    }
    passed += this.end(pass)
    if (isFixed && pass.changedBy) throw this.#blockOf(pass.changedBy)
    return passed
  }

  /** A text that arrives in pieces; undefined if nothing looks at it. */
  open(phase: GuardPhase): TextPass | undefined {
    const steps = this.#steps.get(phase) ?? this.#stepsOf(phase)
    this.#steps.set(phase, steps)
    return steps.length > 0 ? new LocalPass(steps) : undefined
  }

  /** What may be passed on now. Throws if it is blocked. */
  pass(pass: TextPass, text: string): string {
    return this.#unlessBlocked(pass, () => pass.push(text))
  }

  /** The rest. */
  end(pass: TextPass): string {
    return this.#unlessBlocked(pass, () => pass.end())
  }

  #unlessBlocked(pass: TextPass, work: () => string): string {
    const passed = withinSteps(work)
    if (pass.blockedBy) throw this.#blockOf(pass.blockedBy)
    return passed
  }

  #blockOf({ guardrail, check, side }: OwnStep): GuardrailBlock {
    this.#note(guardrail, check, 'blocked')
    return new GuardrailBlock(guardrail, check, side)
  }

  #stepsOf(phase: GuardPhase): OwnStep[] {
    return this.#guardrails
      .filter(({ phases }) => phases.includes(phase) || phases.includes(SIDES[phase]))
      .flatMap((guardrail) => this.#stepsOfOne(guardrail, SIDES[phase]))
      .sort((one, other) => CHECK_RANKS[one.check]! - CHECK_RANKS[other.check]!)
  }

  #stepsOfOne(guardrail: Guardrail, side: Side): OwnStep[] {
    return guardrail.checks.flatMap(({ name, params }) => {
      const check = CHECKS[name]
      return check.kind === 'local' ? [this.#stepOf(guardrail, { name, check, params }, side)] : []
    })
  }

  #stepOf(guardrail: Guardrail, { name, check, params }: NamedCheck, side: Side): OwnStep {
    // What the caller has not sent itself is not given to it.
    const isRestored = side === 'input' && (check.isRestored?.(params) ?? false)
    const outcome = outcomeOf(guardrail)
    return {
      ...{ guardrail, check: name, side },
      action: guardrail.mode === 'shadow' ? 'flag' : guardrail.action,
      open: check.open(params, this.#budget),
      placeholder: (text, rule) => this.#placeholders.nameFor(check.placeholder(rule), text, isRestored),
      found: (rule) => this.#note(guardrail, name, outcome, rule),
    }
  }

  #note({ id }: Guardrail, check: string, outcome: GuardrailOutcome, rule?: string): void {
    this.#call.record.guarded({ guardrail: id, check, outcome }, rule)
  }

  /** What no check can read is said, and passes. */
  #unscanned(what: string): void {
    for (const { id } of this.#guardrails)
      this.#call.record.guarded({ guardrail: id, check: null, outcome: 'unscanned' }, what)
  }

  /** A placeholder that the caller wrote itself must not be restored. */
  async #reserve(request: ChatRequest): Promise<void> {
    const restores = this.#guardrails.some(({ checks }) =>
      checks.some(({ name, params }) => {
        const check = CHECKS[name]
        return check.kind === 'local' && check.isRestored?.(params)
      }),
    )
    if (!restores) return
    const work = new LongWork(() => this.#services.loopSlot(this.#call.caller.owner))
    for (const { text } of request.messages.flatMap((message) => guardedMessage(message, INPUT).texts))
      await this.#placeholders.reserve(text, work)
  }
}

type NamedCheck = { name: string; check: LocalCheck; params: Readonly<Record<string, unknown>> }

const PHASES = { input: INPUT, tool_results: TOOL_RESULTS, output: OUTPUT, tool_arguments: TOOL_ARGUMENTS }
const CHECK_RANKS: Readonly<Record<string, number>> = Object.fromEntries(CHECK_NAMES.map((name, rank) => [name, rank]))

/** What a translated request has of a request in any format. */
const TRANSLATED: ReadonlySet<string> = new Set(['model', 'messages', 'contents', 'input', 'prompt'])

function outcomeOf({ mode, action }: Guardrail): GuardrailOutcome {
  if (action === 'flag') return 'flagged'
  if (mode === 'shadow') return action === 'redact' ? 'would_redact' : 'would_block'
  return action === 'redact' ? 'redacted' : 'blocked'
}

/** Whatever guardrails mean by an error: a caller must not get past a check with a text that is too much for it. */
function withinSteps<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    throw problem('too_large', {
      message: 'The texts of this call are too much for its guardrails. Send less at once.',
    })
  }
}

function isToolResult({ role }: Message): boolean {
  return role === 'tool' || role === 'function'
}

/** Images, audio and files, of which only names are texts. */
function hasFile({ content }: Message): boolean {
  return Array.isArray(content) && content.some(({ type }) => type !== 'text' && type !== 'refusal')
}
