import { isRecord } from '../../base/schema/record.ts'
import { Problem, problem } from '../../contract/problems.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { CheckedText, GuardPhase } from '../../translation/guardrails/check.ts'
import type { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { writeJson } from '../../translation/json/written-numbers.ts'
import type { ContentDraft } from '../content-draft.ts'
import type { CallServices } from '../services/call-services.ts'
import { type GuardedValue, guardedMessage, guardedValue, OUTPUT, PHASES } from './guarded-texts.ts'
import { type GuardedCall, guardrailsFor, type NamedModels } from './guardrails-for.ts'
import { LocalChecks } from './local-checks.ts'
import { outsideSteps } from './outside-checks.ts'
import { looksAt, SIDES, type Side } from './phases.ts'
import { type OutsideNeeds, ServiceChecks } from './service-checks.ts'

type Needs = {
  placeholders: Placeholders
  services: Pick<CallServices, 'guardrails' | 'loopSlot'>
  outside?: OutsideNeeds | undefined
}

/**
 * The guardrails that apply to a call; undefined if there are none, so that most calls pay nothing for them. Those of `before` are left
 * out: the router has chosen again, and they have seen the call.
 */
export function openGuards(call: GuardedCall, models: NamedModels, needs: Needs, before?: Guards): Guards | undefined {
  const active = guardrailsFor(call, models, needs.services.guardrails).filter(({ id }) => !before?.has(id))
  if (active.length === 0) return undefined
  for (const { id } of active) call.record.guarded({ guardrail: id, check: null, outcome: 'passed' })
  const guards = new Guards(active, call, needs)
  call.record.guardsReasons(guards)
  return guards
}

/** The guardrails of one call at work. */
export class Guards {
  readonly local: LocalChecks
  readonly services: ServiceChecks
  readonly #guardrails: readonly Guardrail[]
  readonly #call: GuardedCall
  readonly #needs: Needs

  constructor(guardrails: readonly Guardrail[], call: GuardedCall, needs: Needs) {
    this.local = new LocalChecks(guardrails, call, needs)
    this.services = new ServiceChecks(guardrails, call, needs)
    this.#guardrails = guardrails
    this.#call = call
    this.#needs = needs
  }

  get ids(): readonly string[] {
    return this.#guardrails.map(({ id }) => id)
  }

  has(id: string): boolean {
    return this.#guardrails.some((guardrail) => guardrail.id === id)
  }

  /** These and others, which have seen the request, for its answer. */
  with(others: Guards): Guards {
    return new Guards([...this.#guardrails, ...others.#guardrails], this.#call, this.#needs)
  }

  /** Whether anything is looked at on this side. */
  checks(side: Side): boolean {
    return this.#guardrails.some(({ phases }) => phases.some((phase) => SIDES[phase] === side))
  }

  /** Whether what is found may have to be kept from passing. */
  enforces(side: Side): boolean {
    return this.#guardrails.some(
      (guardrail) => mayChange(guardrail) && guardrail.phases.some((phase) => SIDES[phase] === side),
    )
  }

  /** What is being kept of the call. */
  get content(): ContentDraft | undefined {
    return this.#call.record.content
  }

  /** What no check can read is said, and passes. */
  unscanned(what: string): void {
    for (const { id } of this.#guardrails)
      this.#call.record.guarded({ guardrail: id, check: null, outcome: 'unscanned' }, what)
  }

  /** Any JSON. Throws if it is blocked. */
  async value<Value>(value: Value, phase: GuardPhase): Promise<Value> {
    if (!this.checks(SIDES[phase])) return value
    return (await this.checked([guardedValue(value, PHASES[phase])]))[0] as Value
  }

  /** JSON in which every word is of a model or a tool, and none of an interface. Throws if it is blocked. */
  async json(value: object, phase: 'input' | 'tool_arguments' | 'tool_results'): Promise<object> {
    if (!this.checks(SIDES[phase])) return value
    const message = { role: 'assistant', tool_calls: [{ function: { arguments: writeJson(value) } }] }
    const [passed] = await this.checked([guardedMessage(message, PHASES[phase])])
    if (passed === message) return value
    const changed = tryParse(passed!.tool_calls[0]!.function.arguments)
    // The digits of a number that JSON cannot hold.
    if (!isRecord(changed))
      throw problem('too_large', { message: 'A number in this call is too long for its guardrails.' })
    return changed
  }

  /** A message of an answer, or a part of one, as it may be passed on. Throws if it is blocked. */
  async answered<Part extends object>(message: Part): Promise<Part> {
    return (await this.checked([guardedMessage(message, OUTPUT)]))[0] as Part
  }

  /** Like `answered`, for a part of a stream, and only by the checks inside of the gateway. */
  answeredNow<Part extends object>(message: Part): Part {
    const guarded = guardedMessage(message, OUTPUT)
    const left = guarded.texts.map((checked) => this.local.textNow(checked))
    return left.every((text, at) => text === guarded.texts[at]!.text) ? message : guarded.with(left)
  }

  /** Whether nothing has to be replaced in a text of an answer. Throws if it is blocked. */
  async passes(text: string): Promise<boolean> {
    if (!this.passesAsItIs({ content: text })) return false
    const [left] = await this.services.texts([{ text, phase: 'output' }])
    return left!.text === text
  }

  /** Whether nothing in it has to be replaced: for what makes no sense, or no longer counts, with other texts. Throws if it is blocked. */
  passesAsItIs(value: object): boolean {
    return guardedMessage(value, OUTPUT).texts.every((checked) => this.local.passes(checked))
  }

  /**
   * Whether what a provider says about a failure may be passed on. It is too late to ask services and models, so what they would have to
   * see does not pass.
   */
  passesReason(words: readonly string[]): boolean {
    const asked = this.#guardrails.filter((guardrail) => mayChange(guardrail) && looksAt(guardrail, 'output'))
    if (outsideSteps(asked).length > 0) return false
    try {
      return words.every((content) => this.passesAsItIs({ content }))
    } catch (error) {
      if (error instanceof Problem) return false
      throw error
    }
  }

  /** Throws also if something has to be replaced in the text. */
  async demand(text: string): Promise<void> {
    await this.local.text({ text, phase: 'output', isFixed: true })
    await this.outsideAsItIs({ content: text })
  }

  /** For parts of an answer that cannot be replaced: what services and models find in them is blocked where it would be redacted. */
  async outsideAsItIs(value: object): Promise<void> {
    if (!this.services.lookAtAnswers) return
    await this.services.texts(guardedMessage(value, OUTPUT).texts.map((checked) => ({ ...checked, isFixed: true })))
  }

  /** Values with the texts that may be passed on. Throws if one is blocked. */
  async checked<Value>(all: readonly GuardedValue<Value>[]): Promise<Value[]> {
    const left: (readonly CheckedText[])[] = []
    for (const { texts } of all) {
      const own: CheckedText[] = []
      for (const checked of texts) own.push({ ...checked, text: await this.local.text(checked) })
      left.push(own)
    }
    const passed = await this.services.newTexts(left)
    return all.map((guarded, index) => {
      const texts = passed[index]!
      const isSame = texts.every(({ text }, at) => text === guarded.texts[at]!.text)
      return isSame ? guarded.value : guarded.with(texts.map(({ text }) => text))
    })
  }
}

/** Whether it redacts or blocks. */
function mayChange({ mode, action }: Guardrail): boolean {
  return mode === 'enforce' && action !== 'flag'
}
