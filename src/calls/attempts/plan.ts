import type { Call } from '../call.ts'
import type { Catalog } from '../../platform/catalog/catalog.ts'
import type { WorstCase } from '../../money/limits/worst-case.ts'
import type { Attempt, AttemptServices } from './attempt.ts'
import type { AttemptTarget } from './failures.ts'

/** How a call, or a part of it, asks its targets. It is made by an endpoint, and never changes. */
export type AskPlan<Target = AttemptTarget, Services = AttemptServices, Reply = unknown> = {
  /** In the order in which they are asked. */
  readonly targets: readonly Target[]
  /** The most that an attempt can use of budgets and rate limits. */
  worstCase(target: Target): WorstCase
  /** The same with counted tokens, where that is possible; for a call that does not fit otherwise. */
  exactCase?: ((target: Target) => Promise<WorstCase | undefined>) | undefined
  /** What an attempt will probably cost, in USD; null if that is not known. Absent where that cannot be told before. */
  expectedCost?: ((target: Target) => number | null) | undefined
  /** Prepares what a target needs before it is asked; undefined if there is nothing to wait for. */
  ready?: ((target: Target) => Promise<void> | undefined) | undefined
  /** Asks one target, with one order for each request. Throws a failure of the target, or a problem with the request. */
  ask(attempt: Attempt<Target, Services>): Promise<Reply>
  /** Whether the caller's own headers or fields go to the provider. This takes a while to find out, and is only needed after a failure. */
  isCustomized(): boolean
  /** A number that all requests of a conversation have in common; absent where there are no conversations. */
  affinity?: (() => number) | undefined
  /** How often the caller wants a target to be asked again. */
  retries?: number | undefined
}

/** The attempt that was answered, its reply, and the targets that could continue if the answer breaks off. */
export type Answered<Target, Services, Reply> = {
  readonly attempt: Attempt<Target, Services>
  readonly reply: Reply
  readonly remaining: readonly Target[]
}

/** How a call is answered. */
export type CallPlan<Target, Services, Reply, Answer> = AskPlan<Target, Services, Reply> & {
  /** The answer is read bit by bit, and ends the call when it has been read. */
  readonly endsItself?: boolean | undefined
  /** Turns the reply into what the caller gets. */
  present(answered: Answered<Target, Services, Reply>, ending: Ending): Answer | Promise<Answer>
}

/** What carrying out a plan needs. */
export type PlanServices = AttemptServices & { dryRun?: DryRun | undefined; catalog?: Catalog | undefined }

/** A call that is explained and not made. Everything is done as in a real call, but what its plan would do is only looked at. */
export type DryRun = {
  /** Looks at the plan. There is no answer, so this always throws. */
  read<Target extends AttemptTarget, Services extends PlanServices>(
    plan: AskPlan<Target, Services>,
    call: Call,
    services: Services,
  ): Promise<never>
  /** What stands for the bytes of a file of the caller, which is named and not opened. */
  standIn(file: { reference: string; type: string; size?: number | undefined }): Uint8Array
  /** A hook is left out, because it would ask a model. */
  skipped(hook: string): void
  /** Tools that the gateway runs are left out, because their servers would be asked. */
  skippedTools(): void
}

/** The end of a call. It ends once, and the first end counts. */
export type Ending = {
  /** The call has failed. Returns what the caller is told. */
  fail(error: unknown): unknown
  close(): void
}
