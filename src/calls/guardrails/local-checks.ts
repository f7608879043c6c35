import { CHECK_NAMES, type CheckName } from '../../contract/admin/guardrails.ts'
import type { GuardrailOutcome } from '../../contract/admin/line-filters.ts'
import { problem } from '../../contract/problems.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { CheckedText, GuardPhase, LocalCheck } from '../../translation/guardrails/check.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { LocalPass, type LocalStep } from '../../translation/guardrails/local-pass.ts'
import { LongWork } from '../../translation/hooks/long-work.ts'
import type { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { OutOfSteps, StepBudget } from '../../translation/hooks/step-budget.ts'
import type { CallServices } from '../services/call-services.ts'
import { GuardrailBlock } from './guardrail-block.ts'
import type { GuardedCall } from './guardrails-for.ts'
import { looksAt, SIDES, type Side } from './phases.ts'

/** For all local checks of a call together: a second or two, in slices. */
const MAX_STEPS = 40_000_000
/** What is checked before others have their turn: about a millisecond. */
const SLICE_CHARS = 65_536

type Needs = { placeholders: Placeholders; services: Pick<CallServices, 'loopSlot'> }

/** A check of a guardrail inside of the gateway. */
type OwnCheck = { guardrail: Guardrail; name: CheckName; check: LocalCheck; params: Readonly<Record<string, unknown>> }
type OwnStep = LocalStep & OwnCheck & { side: Side }
export type TextPass = LocalPass<OwnStep>

/** The checks of guardrails inside of the gateway, on the texts of one call. */
export class LocalChecks {
  readonly #checks: readonly OwnCheck[]
  readonly #call: GuardedCall
  readonly #needs: Needs
  readonly #budget = new StepBudget(MAX_STEPS)
  readonly #steps = new Map<GuardPhase, readonly OwnStep[]>()

  constructor(guardrails: readonly Guardrail[], call: GuardedCall, needs: Needs) {
    this.#checks = guardrails
      .flatMap(localChecksOf)
      .sort((one, other) => CHECK_NAMES.indexOf(one.name) - CHECK_NAMES.indexOf(other.name))
    this.#call = call
    this.#needs = needs
  }

  /** A text as it may be passed on; one that is fixed stays as it is. Throws if it is blocked. */
  async text({ text, phase, isFixed }: CheckedText): Promise<string> {
    const pass = this.open(phase)
    if (!pass) return text
    let passed = ''
    for (let at = 0; at < text.length; at += SLICE_CHARS) {
      if (at > 0) await this.#slot()
      passed += this.pass(pass, text.slice(at, at + SLICE_CHARS))
    }
    passed += this.end(pass)
    return isFixed ? this.#asItIs(text, pass) : passed
  }

  /** Like `text`, for a part of a stream. */
  textNow({ text, phase, isFixed }: CheckedText): string {
    const pass = this.open(phase)
    if (!pass) return text
    const passed = this.pass(pass, text) + this.end(pass)
    return isFixed ? this.#asItIs(text, pass) : passed
  }

  #asItIs(text: string, { changedBy }: TextPass): string {
    if (changedBy) throw this.#blockOf(changedBy)
    return text
  }

  /** Whether nothing in a text has to be replaced. Throws if it is blocked. */
  passes({ text, phase }: CheckedText): boolean {
    const pass = this.open(phase)
    if (!pass) return true
    this.pass(pass, text)
    this.end(pass)
    return pass.changedBy === undefined
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

  /** What callers get back in the place of placeholders; undefined if no check restores anything. */
  get restored(): ReadonlyMap<string, string> | undefined {
    return this.#checks.some(isRestored) ? this.#needs.placeholders.restored : undefined
  }

  /** A placeholder that the caller wrote itself must not be restored. */
  async reserve(texts: Iterable<CheckedText>): Promise<void> {
    if (!this.restored) return
    const work = new LongWork(() => this.#slot())
    for (const { text } of texts) await this.#needs.placeholders.reserve(text, work)
  }

  #slot(): Promise<void> {
    return this.#needs.services.loopSlot(this.#call.caller.owner)
  }

  #unlessBlocked(pass: TextPass, work: () => string): string {
    const passed = withinSteps(work)
    if (pass.blockedBy) throw this.#blockOf(pass.blockedBy)
    return passed
  }

  #blockOf(step: OwnStep): GuardrailBlock {
    this.#note(step, 'blocked')
    return new GuardrailBlock(step.guardrail, step.name, step.side)
  }

  #stepsOf(phase: GuardPhase): OwnStep[] {
    return this.#checks
      .filter(({ guardrail }) => looksAt(guardrail, phase))
      .map((own) => this.#stepOf(own, SIDES[phase]))
  }

  #stepOf(own: OwnCheck, side: Side): OwnStep {
    const { guardrail, check, params } = own
    // What the caller has not sent itself is not given to it.
    const isGivenBack = side === 'input' && isRestored(own)
    const outcome = outcomeOf(guardrail)
    return {
      ...own,
      side,
      action: guardrail.mode === 'shadow' ? 'flag' : guardrail.action,
      open: check.open(params, this.#budget),
      placeholder: (text, rule) => this.#needs.placeholders.nameFor(check.placeholder(rule), text, isGivenBack),
      found: (rule) => this.#note(own, outcome, rule),
    }
  }

  #note({ guardrail, name }: OwnCheck, outcome: GuardrailOutcome, rule?: string): void {
    this.#call.record.guarded({ guardrail: guardrail.id, check: name, outcome }, rule)
  }
}

function localChecksOf(guardrail: Guardrail): OwnCheck[] {
  return guardrail.checks.flatMap(({ name, params }) => {
    const check = CHECKS[name]
    return check.kind === 'local' ? [{ guardrail, name, check, params }] : []
  })
}

function isRestored({ check, params }: OwnCheck): boolean {
  return check.isRestored?.(params) ?? false
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
