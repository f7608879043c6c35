import type { GuardrailOutcome } from '../../contract/admin/line-filters.ts'
import { problem } from '../../contract/problems.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { CheckedText, GuardPhase } from '../../translation/guardrails/check.ts'
import type { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import type { CallServices } from '../services/call-services.ts'
import type { GuardSender } from './ask-remote.ts'
import { GuardrailBlock } from './guardrail-block.ts'
import type { GuardedCall } from './guardrails-for.ts'
import { checkOutside, type Outside, type OutsideStep, outsideSteps } from './outside-checks.ts'
import { looksAt, SIDES, type Side } from './phases.ts'

/** What services and models are asked with. */
export type OutsideNeeds = {
  services: GuardSender & Pick<CallServices, 'passedTexts'>
  modelTools: Outside['modelTools']
}
/** Without `outside`, nothing is asked. */
type Needs = { placeholders: Placeholders; outside?: OutsideNeeds | undefined }

/** The checks of guardrails by services and models, on the texts of one call that the checks inside of the gateway have left. */
export class ServiceChecks {
  readonly #guardrails: readonly Guardrail[]
  readonly #call: GuardedCall
  readonly #needs: Needs
  readonly #steps = new Map<GuardPhase, readonly OutsideStep[]>()
  /** How often something was found, or could not be checked. */
  #notes = 0

  constructor(guardrails: readonly Guardrail[], call: GuardedCall, needs: Needs) {
    this.#guardrails = needs.outside ? guardrails : []
    this.#call = call
    this.#needs = needs
  }

  lookAt(phase: GuardPhase): boolean {
    return this.#stepsOf(phase).length > 0
  }

  /** Whether they look at anything of answers, so that a stream has to wait for them. */
  get lookAtAnswers(): boolean {
    return this.lookAt('output') || this.lookAt('tool_arguments')
  }

  /** The texts as they may be passed on. Throws if one is blocked. `holds` is told how much of the end of a stream is to wait. */
  async texts(
    texts: readonly CheckedText[],
    holds: (chars: number) => void = () => {},
  ): Promise<readonly CheckedText[]> {
    const left = [...texts]
    for (const phase of new Set(texts.map((text) => text.phase))) {
      const steps = this.#stepsOf(phase)
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

  /** The same for several values with their texts. What was there before, and in which nothing was found, is not sent again. */
  async newTexts(all: readonly (readonly CheckedText[])[]): Promise<readonly (readonly CheckedText[])[]> {
    const phases = new Set(all.flatMap((texts) => texts.map(({ phase }) => phase)))
    const steps = [...phases].flatMap((phase) => this.#stepsOf(phase))
    const known = this.#needs.outside?.services.passedTexts
    if (steps.length === 0 || !known) return all
    const { owner } = this.#call.caller
    const versions = steps.map(({ guardrail, name }) => `${guardrail.version} ${name}`).join()
    const digests = all.map((texts) => known.digestOf(texts, versions))
    const fresh = all.flatMap((texts, at) => (texts.length > 0 && !known.has(owner, digests[at]!) ? [at] : []))
    const before = this.#notes
    const passed = [...(await this.texts(fresh.flatMap((at) => all[at]!)))]
    if (this.#notes === before) for (const at of fresh) known.add(owner, digests[at]!)
    const left = [...all]
    for (const at of fresh) left[at] = passed.splice(0, all[at]!.length)
    return left
  }

  #stepsOf(phase: GuardPhase): readonly OutsideStep[] {
    const steps =
      this.#steps.get(phase) ?? outsideSteps(this.#guardrails.filter((guardrail) => looksAt(guardrail, phase)))
    this.#steps.set(phase, steps)
    return steps
  }

  #asking(side: Side, holds: (chars: number) => void): Outside {
    const { placeholders, outside } = this.#needs
    if (!outside) throw new Error('Nothing outside of the gateway can be asked here.')
    const { id, caller, endpoint, record, signal } = this.#call
    const { organization, project, keyId: key, owner } = caller
    const context = { callId: id, endpoint, model: record.model ?? record.labels.requestedModel ?? '' }
    return {
      context: { ...context, organization, project, key, isStream: record.isStream },
      signal,
      owner,
      ...outside,
      consequences: {
        found: (step, outcome, rules) => this.#note(step, outcome, rules),
        blocked: (step, rules) => {
          this.#note(step, 'blocked', rules)
          return new GuardrailBlock(step.guardrail, step.name, side)
        },
        unscanned: (step, reason) => this.#note(step, 'unscanned', [reason]),
        refused: (step, reason) => {
          this.#note(step, 'unscanned', [reason])
          const { guardrail, name } = step
          return problem('guardrail_failed', {
            message: `The guardrail '${guardrail.id}' could not check this call (${reason}).`,
            members: { guardrail: guardrail.id, check: name },
          })
        },
        placeholder: (prefix, text) => placeholders.nameFor(prefix, text, false),
        holds,
      },
    }
  }

  #note({ guardrail, name }: OutsideStep, outcome: GuardrailOutcome, rules: readonly string[]): void {
    this.#notes += rules.length
    for (const rule of rules) this.#call.record.guarded({ guardrail: guardrail.id, check: name, outcome }, rule)
  }
}
