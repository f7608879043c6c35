import type { ChatRequest, Message } from '../../contract/chat.ts'
import { problem } from '../../contract/problems.ts'
import { CHECK_NAMES } from '../../contract/admin/guardrails.ts'
import type { GuardrailOutcome } from '../../contract/admin/line-filters.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { CheckedText, GuardPhase, LocalCheck } from '../../translation/guardrails/check.ts'
import { isRecord } from '../../base/schema/record.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { LocalPass, type LocalStep } from '../../translation/guardrails/local-pass.ts'
import type { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { OutOfSteps, StepBudget } from '../../translation/hooks/step-budget.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { LongWork } from '../../translation/hooks/long-work.ts'
import type { Call } from '../call.ts'
import { keepGuarded } from '../content-draft.ts'
import type { CallServices } from '../services/call-services.ts'
import type { GuardSender } from './ask-remote.ts'
import { guardrailsFor, type NamedModels } from './guardrails-for.ts'
import { GuardrailBlock } from './guardrail-block.ts'
import { checkOutside, type Outside, type OutsideStep, outsideSteps } from './outside-checks.ts'
import { passedTextsOf } from './passed-texts.ts'
import {
  type GuardedValue,
  guardedFields,
  guardedMessage,
  guardedValue,
  INPUT,
  OUTPUT,
  textsBeyond,
  TOOL_ARGUMENTS,
  TOOL_RESULTS,
} from './guarded-texts.ts'

/** For all local checks of a call together: a second or two, in slices. */
const MAX_STEPS = 40_000_000
/** What is checked before others have their turn: about a millisecond. */
const SLICE_CHARS = 65_536

type Guarded = Pick<Call, 'id' | 'endpoint' | 'record' | 'signal'> & {
  caller: Pick<Caller, 'owner' | 'organization' | 'project' | 'keyId'>
}
type Needs = Pick<CallServices, 'guardrails' | 'loopSlot'>
/** What services and models are asked with. */
type OutsideNeeds = { services: GuardSender; modelTools: Outside['modelTools'] }
type Side = 'input' | 'output'

/**
 * The guardrails that apply to a call; undefined if there are none, so that most calls pay nothing for them. Those of `before` are left
 * out: the router has chosen again, and they have seen the call.
 */
export function openGuards(call: Guarded, models: NamedModels, needs: GuardNeeds, before?: Guards): Guards | undefined {
  const active = guardrailsFor(call, models, needs.services.guardrails).filter(({ id }) => !before?.has(id))
  if (active.length === 0) return undefined
  for (const { id } of active) call.record.guarded({ guardrail: id, check: null, outcome: 'passed' })
  return new Guards(active, call, needs)
}

type GuardNeeds = { placeholders: Placeholders; services: Needs; outside?: OutsideNeeds | undefined }

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
  readonly #outsideNeeds: OutsideNeeds | undefined
  readonly #placeholders: Placeholders
  readonly #budget = new StepBudget(MAX_STEPS)
  readonly #steps = new Map<GuardPhase, readonly OwnStep[]>()
  readonly #outsideSteps = new Map<GuardPhase, readonly OutsideStep[]>()
  /** How often something was found, or could not be checked. */
  #notes = 0

  constructor(guardrails: readonly Guardrail[], call: Guarded, { placeholders, services, outside }: GuardNeeds) {
    this.#guardrails = guardrails
    this.#call = call
    this.#placeholders = placeholders
    this.#services = services
    this.#outsideNeeds = outside
  }

  has(id: string): boolean {
    return this.#guardrails.some((guardrail) => guardrail.id === id)
  }

  /** These and others, which have seen the request, for its answer. */
  with(others: Guards): Guards {
    return new Guards([...this.#guardrails, ...others.#guardrails], this.#call, {
      ...{ placeholders: this.#placeholders, services: this.#services, outside: this.#outsideNeeds },
    })
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
    const left = await keepGuarded(
      this.#call.record.content,
      () => this.#requestLeft(request),
      (one) => (one === request ? undefined : one),
    )
    this.#keepPlaceholders()
    return left
  }

  async #requestLeft(request: ChatRequest): Promise<ChatRequest> {
    await this.#reserve(request)
    if (request.messages.some(hasFile)) this.unscanned('file')
    const guarded: GuardedValue<Message | ChatRequest>[] = request.messages.map((message) =>
      guardedMessage(message, isToolResult(message) ? TOOL_RESULTS : INPUT),
    )
    const checked = await this.#checked([...guarded, guardedFields(request)])
    const fields = checked.pop() as ChatRequest
    const messages = checked as Message[]
    if (messages.every((message, at) => message === request.messages[at])) return fields
    return { ...fields, messages }
  }

  /**
   * A request in a format of a client, whose translation was checked. What only that format says is checked here. If something may
   * have to be kept from passing, it is not sent as the client wrote it, because it may have more than its translation.
   */
  async native(native: NativeAsk, translated: ChatRequest): Promise<NativeAsk> {
    const guarded = this.enforces('output') ? { ...native, isAnswerGuarded: true } : native
    if (!this.checks('input')) return guarded
    const { write: _, body, ...asked } = guarded
    const own = Object.fromEntries(Object.entries(body).filter(([name]) => !isTranslated(name, native.format)))
    if (!this.enforces('input')) {
      await this.#report(native.isStale ? own : body, translated)
      return guarded
    }
    const { content } = this.#call.record
    const left = await keepGuarded(
      content,
      () => this.value(own, 'input'),
      // What has been kept of a chat that was changed does not have these members.
      (value) => (value === own || content?.isGuarded ? undefined : { ...body, ...value }),
    )
    return { ...asked, body: { ...body, ...left }, isStale: true }
  }

  /** Only reports what is found, also in what the translation of the request does not have. */
  async #report(body: Record<string, unknown>, translated: ChatRequest): Promise<void> {
    const texts = textsBeyond(body, translated)
    await keepGuarded(
      this.#call.record.content,
      () => this.#checked(texts.map((text) => ({ value: body, texts: [text], with: () => body }))),
      () => undefined,
    )
  }

  /** Any other JSON. Throws if it is blocked. */
  async value<Value>(value: Value, phase: GuardPhase): Promise<Value> {
    if (!this.checks(SIDES[phase])) return value
    return (await this.#checked([guardedValue(value, PHASES[phase])]))[0] as Value
  }

  /** Whether nothing has to be replaced in a text of an answer. Throws if it is blocked. */
  async passes(text: string): Promise<boolean> {
    if (!this.passesAsItIs({ content: text })) return false
    const [left] = await this.outside([{ text, phase: 'output' }])
    return left!.text === text
  }

  /** Throws also if something has to be replaced in the text. */
  async demand(text: string): Promise<void> {
    await this.#text({ text, phase: 'output', isFixed: true })
    await this.outsideAsItIs({ content: text })
  }

  /** JSON in which every word is of a model or a tool, and none of an interface. Throws if it is blocked. */
  async json(value: object, phase: 'input' | 'tool_arguments' | 'tool_results'): Promise<object> {
    if (!this.checks(SIDES[phase])) return value
    const message = { role: 'assistant', tool_calls: [{ function: { arguments: writeJson(value) } }] }
    const [passed] = await this.#checked([guardedMessage(message, PHASES[phase])])
    if (passed === message) return value
    const changed = tryParse(passed!.tool_calls[0]!.function.arguments)
    // The digits of a number that JSON cannot hold.
    if (!isRecord(changed))
      throw problem('too_large', { message: 'A number in this call is too long for its guardrails.' })
    return changed
  }

  /** A message of an answer, or a part of one, as it may be passed on. Throws if it is blocked. */
  async answered<Part extends object>(message: Part): Promise<Part> {
    return (await this.#checked([guardedMessage(message, OUTPUT)]))[0] as Part
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

  /** Whether services or models look at answers, so that a stream has to wait for them. */
  asksOutside(side: Side): boolean {
    return this.#outside(side).length > 0
  }

  /**
   * Texts of an answer that the checks inside of the gateway have left, as services and models leave them. Throws if one is blocked.
   * `holds` is told how much of the end of a stream is to wait.
   */
  async outside(
    texts: readonly CheckedText[],
    holds: (chars: number) => void = () => {},
  ): Promise<readonly CheckedText[]> {
    const left = [...texts]
    for (const phase of new Set(texts.map((text) => text.phase))) {
      const steps = this.#outside(phase)
      if (steps.length === 0) continue
      const places = texts.flatMap((text, at) => (text.phase === phase ? [at] : []))
      const passed = await checkOutside(
        places.map((at) => texts[at]!),
        steps,
        this.#asking(SIDES[phase], holds),
      )
      for (const [index, at] of places.entries()) left[at] = passed[index]!
    }
    return left
  }

  /** For parts of an answer that cannot be replaced: what services and models find in them is blocked where it would be redacted. */
  async outsideAsItIs(value: object): Promise<void> {
    if (!this.asksOutside('output')) return
    await this.outside(guardedMessage(value, OUTPUT).texts.map((checked) => ({ ...checked, isFixed: true })))
  }

  async #checked<Value>(all: readonly GuardedValue<Value>[]): Promise<Value[]> {
    const left: (readonly CheckedText[])[] = []
    for (const { texts } of all) {
      const own: CheckedText[] = []
      for (const checked of texts) own.push({ ...checked, text: await this.#text(checked) })
      left.push(own)
    }
    const passed = await this.#outsideNew(left)
    return all.map((guarded, index) => {
      const texts = passed[index]!
      const isSame = texts.every(({ text }, at) => text === guarded.texts[at]!.text)
      return isSame ? guarded.value : guarded.with(texts.map(({ text }) => text))
    })
  }

  /** What was there before, and in which nothing was found, is not sent again. */
  async #outsideNew(all: readonly (readonly CheckedText[])[]): Promise<readonly (readonly CheckedText[])[]> {
    const phases = new Set(all.flatMap((texts) => texts.map(({ phase }) => phase)))
    const steps = [...phases].flatMap((phase) => this.#outside(phase))
    if (steps.length === 0) return all
    const { owner } = this.#call.caller
    const known = passedTextsOf(this.#services.guardrails)
    const versions = steps.map(({ guardrail, name }) => `${guardrail.version} ${name}`).join()
    const digests = all.map((texts) => known.digestOf(texts, versions))
    const fresh = all.flatMap((texts, at) => (texts.length > 0 && !known.has(owner, digests[at]!) ? [at] : []))
    const before = this.#notes
    const passed = [...(await this.outside(fresh.flatMap((at) => all[at]!)))]
    if (this.#notes === before) for (const at of fresh) known.add(owner, digests[at]!)
    const left = [...all]
    for (const at of fresh) left[at] = passed.splice(0, all[at]!.length)
    return left
  }

  #outside(phase: GuardPhase): readonly OutsideStep[] {
    const known = this.#outsideSteps.get(phase)
    if (known) return known
    const steps = !this.#outsideNeeds
      ? []
      : outsideSteps(this.#guardrails.filter((guardrail) => looksAt(guardrail, phase)))
    this.#outsideSteps.set(phase, steps)
    return steps
  }

  #asking(side: Side, holds: (chars: number) => void): Outside {
    if (!this.#outsideNeeds) throw new Error('Nothing outside of the gateway can be asked here.')
    const { id, caller, endpoint, record, signal } = this.#call
    const { organization, project, keyId: key, owner } = caller
    const context = { callId: id, endpoint, model: record.model ?? record.labels.requestedModel ?? '' }
    return {
      context: { ...context, organization, project, key, isStream: record.isStream },
      ...{ signal, owner, ...this.#outsideNeeds },
      consequences: {
        found: ({ guardrail, name }, outcome, rules) => {
          for (const rule of rules) this.#note(guardrail, name, outcome, rule)
        },
        blocked: ({ guardrail, name }, rules) => {
          for (const rule of rules) this.#note(guardrail, name, 'blocked', rule)
          return new GuardrailBlock(guardrail, name, side)
        },
        unscanned: ({ guardrail, name }, reason) => this.#note(guardrail, name, 'unscanned', reason),
        refused: ({ guardrail, name }, reason) => {
          this.#note(guardrail, name, 'unscanned', reason)
          return problem('guardrail_failed', {
            message: `The guardrail '${guardrail.id}' could not check this call (${reason}).`,
            members: { guardrail: guardrail.id, check: name },
          })
        },
        placeholder: (prefix, text) => this.#placeholders.nameFor(prefix, text, false),
        holds,
      },
    }
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
      .filter((guardrail) => looksAt(guardrail, phase))
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
    this.#notes += 1
    this.#call.record.guarded({ guardrail: id, check, outcome }, rule)
  }

  /** What no check can read is said, and passes. */
  unscanned(what: string): void {
    for (const { id } of this.#guardrails)
      this.#call.record.guarded({ guardrail: id, check: null, outcome: 'unscanned' }, what)
  }

  /** Callers get what was replaced back in the answer; what is kept of the answer does not. */
  #keepPlaceholders(): void {
    const { content } = this.#call.record
    if (content && this.#restores) content.restored = this.#placeholders.restored
  }

  get #restores(): boolean {
    return this.#guardrails.some(({ checks }) =>
      checks.some(({ name, params }) => {
        const check = CHECKS[name]
        return check.kind === 'local' && check.isRestored?.(params)
      }),
    )
  }

  /** A placeholder that the caller wrote itself must not be restored. */
  async #reserve(request: ChatRequest): Promise<void> {
    if (!this.#restores) return
    const work = new LongWork(() => this.#services.loopSlot(this.#call.caller.owner))
    for (const { text } of request.messages.flatMap((message) => guardedMessage(message, INPUT).texts))
      await this.#placeholders.reserve(text, work)
  }
}

/** Whether a guardrail looks at this phase, or at all of its side. */
function looksAt({ phases }: Guardrail, phase: GuardPhase): boolean {
  return phases.includes(phase) || phases.includes(SIDES[phase])
}

type NamedCheck = { name: string; check: LocalCheck; params: Readonly<Record<string, unknown>> }

const PHASES = { input: INPUT, tool_results: TOOL_RESULTS, output: OUTPUT, tool_arguments: TOOL_ARGUMENTS }
const CHECK_RANKS: Readonly<Record<string, number>> = Object.fromEntries(CHECK_NAMES.map((name, rank) => [name, rank]))

/** Where each format has the conversation, which its translation has, too. */
const CONVERSATIONS: Readonly<Record<NativeAsk['format'], string>> = {
  messages: 'messages',
  responses: 'input',
  gemini: 'contents',
  completions: 'prompt',
  cohere: 'messages',
}

function isTranslated(member: string, format: NativeAsk['format']): boolean {
  return member === 'model' || member === CONVERSATIONS[format]
}

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
