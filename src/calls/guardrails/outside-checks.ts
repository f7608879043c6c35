import { CHECK_NAMES, type CheckName } from '../../contract/admin/guardrails.ts'
import { Problem } from '../../contract/problems.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Check, CheckedText, GuardContext, ModelTools, Verdict } from '../../translation/guardrails/check.ts'
import { CHECKS } from '../../translation/guardrails/checks.ts'
import { partsOf, wholeVerdict } from '../../translation/guardrails/parts.ts'
import { placeholderOf, withoutFound } from '../../translation/guardrails/redact.ts'
import { UnreadableVerdict } from '../../translation/guardrails/reply-reader.ts'
import { askParts } from './ask-parts.ts'
import { askRemote, type GuardSender } from './ask-remote.ts'
import { GuardFailure } from './guard-failure.ts'

// Checks by services and models, on texts that the checks inside of the gateway have left. Those that take something out of the texts run
// one after the other, then those that only judge, side by side.

/** A check of a guardrail that asks a service or a model. */
export type OutsideStep = {
  guardrail: Guardrail
  name: CheckName
  params: Readonly<Record<string, unknown>>
}

type FailureReason = 'timeout' | 'credentials' | 'too_long' | 'unreadable' | 'failed'

/** What follows from what is found; the guardrails of the call decide. Those that return an error throw it. */
export type Consequences = {
  found(
    step: OutsideStep,
    outcome: 'flagged' | 'redacted' | 'would_redact' | 'would_block',
    rules: readonly string[],
  ): void
  blocked(step: OutsideStep, rules: readonly string[]): unknown
  /** The texts pass although they were not checked. */
  unscanned(step: OutsideStep, reason: FailureReason): void
  /** They do not. */
  refused(step: OutsideStep, reason: FailureReason, error: unknown): unknown
  placeholder(prefix: string, text: string): string
  /** So many characters at the end of a text of a stream are to wait for what follows. */
  holds(chars: number): void
}

export type Outside = {
  context: GuardContext
  signal: AbortSignal
  owner: string
  services: GuardSender
  /** Everything that a model check asks ends with this signal. */
  modelTools(signal: AbortSignal): ModelTools
  consequences: Consequences
}

/** The checks of these guardrails that run outside, in their order. */
export function outsideSteps(guardrails: readonly Guardrail[]): OutsideStep[] {
  const steps = guardrails.flatMap((guardrail) => {
    const outside = guardrail.checks.filter(({ name }) => CHECKS[name].kind !== 'local')
    return outside.map(({ name, params }) => ({ guardrail, name, params }))
  })
  return steps.sort((one, other) => CHECK_NAMES.indexOf(one.name) - CHECK_NAMES.indexOf(other.name))
}

/** The texts as they may pass. Throws what the guardrails say if they may not. */
export async function checkOutside(
  texts: readonly CheckedText[],
  steps: readonly OutsideStep[],
  outside: Outside,
): Promise<readonly CheckedText[]> {
  if (texts.every(({ text }) => text.trim() === '')) return texts
  let left = texts
  for (const step of steps.filter(isRewriter)) left = await rewritten(left, step, outside)
  const judging = steps.filter((step) => !isRewriter(step)).map((step) => judged(left, step, outside))
  // All are awaited, so that none goes on after the call has been refused because of another one.
  const [failed] = (await Promise.allSettled(judging)).filter(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return left
}

function isRewriter({ guardrail, name }: OutsideStep): boolean {
  const check = CHECKS[name]
  return (
    guardrail.action === 'redact' && guardrail.mode === 'enforce' && check.kind !== 'local' && check.rewrites === true
  )
}

async function rewritten(
  texts: readonly CheckedText[],
  step: OutsideStep,
  outside: Outside,
): Promise<readonly CheckedText[]> {
  const { consequences } = outside
  const verdict = await verdictOf(texts, step, outside)
  if (!verdict || verdict.found.length === 0) return texts
  const left = withoutFound(texts, verdict, (text, rule) => consequences.placeholder(placeholderOf(rule), text))
  if (!left) throw consequences.blocked(step, verdict.found)
  consequences.found(step, 'redacted', verdict.found)
  return left
}

async function judged(texts: readonly CheckedText[], step: OutsideStep, outside: Outside): Promise<void> {
  const { consequences } = outside
  const { action, mode } = step.guardrail
  const verdict = await verdictOf(texts, step, outside)
  if (!verdict || verdict.found.length === 0) return
  if (action === 'flag') consequences.found(step, 'flagged', verdict.found)
  else if (mode === 'shadow') consequences.found(step, wouldBe(texts, verdict, step), verdict.found)
  else throw consequences.blocked(step, verdict.found)
}

/** What cannot be redacted would have been blocked. */
function wouldBe(
  texts: readonly CheckedText[],
  verdict: Verdict,
  { guardrail }: OutsideStep,
): 'would_redact' | 'would_block' {
  const isRedacted = guardrail.action === 'redact' && withoutFound(texts, verdict, () => '')
  return isRedacted ? 'would_redact' : 'would_block'
}

/** Undefined if the check has failed and the texts pass nevertheless. */
async function verdictOf(
  texts: readonly CheckedText[],
  step: OutsideStep,
  outside: Outside,
): Promise<Verdict | undefined> {
  const { guardrail } = step
  const time = AbortSignal.timeout(guardrail.timeoutMs)
  try {
    const asked = { ...outside, signal: AbortSignal.any([outside.signal, time]) }
    const verdict = await ask(texts, CHECKS[step.name], step, asked)
    for (const chars of verdict.holdbackChars ?? []) outside.consequences.holds(chars)
    return verdict
  } catch (error) {
    if (outside.signal.aborted) throw outside.signal.reason
    const reason = time.aborted ? 'timeout' : reasonOf(error)
    if (!isClosed(guardrail, reason)) {
      outside.consequences.unscanned(step, reason)
      return undefined
    }
    throw outside.consequences.refused(step, reason, error)
  }
}

/** What does not pass by itself, and what a caller can cause, counts as closed. A shadow guardrail refuses nothing. */
function isClosed({ onError, mode }: Guardrail, reason: FailureReason): boolean {
  if (mode === 'shadow') return false
  return onError === 'closed' || reason === 'credentials' || reason === 'too_long'
}

async function ask(
  texts: readonly CheckedText[],
  check: Check,
  { params }: OutsideStep,
  outside: Outside,
): Promise<Verdict> {
  const { context, signal, owner, services } = outside
  if (check.kind === 'remote') return await askRemote(texts, { check, params, context }, { signal, owner, services })
  if (check.kind === 'local') throw new Error('This check runs inside of the gateway.')
  const parts = partsOf(texts, check)
  const tools = outside.modelTools(signal)
  const verdicts = await askParts(parts, (part) => check.run(part.texts, params, tools, context))
  return wholeVerdict(texts, parts, verdicts)
}

const WRONG_CREDENTIALS: ReadonlySet<string> = new Set(['upstream_auth', 'provider_not_configured'])

function reasonOf(error: unknown): FailureReason {
  if (error instanceof GuardFailure) return error.kind
  if (error instanceof UnreadableVerdict) return 'unreadable'
  return error instanceof Problem && WRONG_CREDENTIALS.has(error.code) ? 'credentials' : 'failed'
}
