import type { TestedGuardrail, TestGuardrailRequest } from '../../contract/admin/guardrails.ts'
import { problem } from '../../contract/problems.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost, newCall } from '../../calls/call.ts'
import {
  checkOutside,
  type Consequences,
  type OutsideStep,
  outsideSteps,
} from '../../calls/guardrails/outside-checks.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { CheckedText, GuardContext, ModelTools } from '../../translation/guardrails/check.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { LocalPass, type LocalStep } from '../../translation/guardrails/local-pass.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { StepBudget } from '../../translation/hooks/step-budget.ts'
import { GATEWAY_OWNER } from '../../translation/wire/wire.ts'
import { modelToolsFor } from './model-tools.ts'

/** Enough for the longest text that may be tried. */
const MAX_STEPS = 40_000_000

type Tried = Pick<TestGuardrailRequest, 'text' | 'phase'>
type Trying = { payer(): Promise<Caller>; services: CallServices }

/** What a guardrail would do with a text, if it enforced. Only checks that ask models cost anything, and only they need a caller who pays. */
export async function tryGuardrail(
  guardrail: Guardrail,
  { text, phase }: Tried,
  { payer, services }: Trying,
): Promise<TestedGuardrail> {
  const enforcing: Guardrail = { ...guardrail, mode: 'enforce', sample: 1 }
  const trial = new Trial(enforcing, { text, phase: phase ?? 'input' }, services)
  if (!guardrail.checks.some(({ name }) => CHECKS[name].kind === 'model')) return await trial.run(undefined)
  const call = callOf(await payer(), services)
  const tested = await runParts(() => trial.run(call), call, services)
  return { ...tested, cost: knownCost(call) }
}

function callOf(caller: Caller, { newId, monotonic }: CallServices): Call {
  const { signal } = new AbortController()
  return newCall({ id: newId(), caller, endpoint: 'universal', startedAt: monotonic(), signal, wantsMetadata: false })
}

/** Nothing more follows: what was found so far is the answer. */
class Over extends Error {
  readonly outcome: 'blocked' | 'failed'
  constructor(outcome: 'blocked' | 'failed') {
    super(outcome)
    this.outcome = outcome
  }
}

class Trial {
  readonly #guardrail: Guardrail
  readonly #checked: CheckedText
  readonly #services: CallServices
  readonly #placeholders = new Placeholders()
  readonly #found = new Set<string>()
  readonly #failed = new Set<string>()

  constructor(guardrail: Guardrail, checked: CheckedText, services: CallServices) {
    this.#guardrail = guardrail
    this.#checked = checked
    this.#services = services
  }

  async run(call: Call | undefined): Promise<TestedGuardrail> {
    try {
      const inside = { ...this.#checked, text: this.#inside() }
      const [left] = await checkOutside([inside], outsideSteps([this.#guardrail]), this.#outside(call))
      const text = left?.text ?? inside.text
      return this.#tested(this.#passed(text), text)
    } catch (error) {
      if (error instanceof Over) return this.#tested(error.outcome, null)
      throw error
    }
  }

  #passed(text: string): TestedGuardrail['outcome'] {
    if (text !== this.#checked.text) return 'redacted'
    return this.#found.size > 0 ? 'flagged' : 'passed'
  }

  #tested(outcome: TestedGuardrail['outcome'], text: string | null): TestedGuardrail {
    return { outcome, found: [...this.#found], failed: [...this.#failed], text, cost: 0 }
  }

  /** The text that the checks inside of the gateway let pass. */
  #inside(): string {
    const pass = new LocalPass(this.#localSteps())
    const text = pass.push(this.#checked.text) + pass.end()
    if (pass.blockedBy) throw new Over('blocked')
    return text
  }

  #localSteps(): LocalStep[] {
    const budget = new StepBudget(MAX_STEPS)
    return this.#guardrail.checks.flatMap(({ name, params }) => {
      const check = CHECKS[name]
      if (check.kind !== 'local') return []
      return [
        {
          action: this.#guardrail.action,
          open: check.open(params, budget),
          placeholder: (text: string, rule: string) => this.#placeholders.nameFor(check.placeholder(rule), text, false),
          found: (rule: string) => this.#found.add(`${name}: ${rule}`),
        },
      ]
    })
  }

  #outside(call: Call | undefined) {
    const services = this.#services
    return {
      context: contextOf(call),
      signal: call?.signal ?? new AbortController().signal,
      owner: call?.caller.owner ?? GATEWAY_OWNER,
      services,
      modelTools: (signal: AbortSignal): ModelTools => {
        if (!call) throw problem('internal_error')
        return modelToolsFor(call, signal, services)
      },
      consequences: this.#consequences(),
    }
  }

  #consequences(): Consequences {
    const note = ({ name }: OutsideStep, rules: readonly string[]) => {
      for (const rule of rules) this.#found.add(`${name}: ${rule}`)
    }
    return {
      found: (step, _outcome, rules) => note(step, rules),
      blocked: (step, rules) => {
        note(step, rules)
        return new Over('blocked')
      },
      unscanned: ({ name }, reason) => void this.#failed.add(`${name}: ${reason}`),
      refused: ({ name }, reason) => {
        this.#failed.add(`${name}: ${reason}`)
        return new Over('failed')
      },
      placeholder: (prefix, text) => this.#placeholders.nameFor(prefix, text, false),
      holds: () => {},
    }
  }
}

function contextOf(call: Call | undefined): GuardContext {
  const caller = call?.caller
  return {
    callId: call?.id ?? 'test',
    endpoint: 'test',
    model: '',
    organization: caller?.organization ?? '',
    project: caller?.project ?? '',
    key: caller?.keyId ?? '',
    isStream: false,
  }
}
