import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { GuardPhase } from '../../translation/guardrails/check.ts'

/** The request of a call, or its answer. */
export type Side = 'input' | 'output'

/** What a phase is a part of: `input` includes results of tools, and `output` the arguments of their calls. */
export const SIDES: Readonly<Record<GuardPhase, Side>> = {
  input: 'input',
  tool_results: 'input',
  output: 'output',
  tool_arguments: 'output',
}

/** Whether a guardrail looks at this phase, or at all of its side. */
export function looksAt({ phases }: Guardrail, phase: GuardPhase): boolean {
  return phases.includes(phase) || phases.includes(SIDES[phase])
}
