import type { Static, TSchema } from '../../base/schema/type.ts'
import type { ChatRequest, Message } from '../../contract/chat.ts'
import type { Loc } from '../../base/schema/issue-messages.ts'
import type { EngineName, Engines } from '../engine-api/engines.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { Kind, PersonalData } from './pii/personal-data.ts'
import type { Placeholders } from './pii/placeholders.ts'
import type { LongWork } from './long-work.ts'
import type { StepBudget } from './step-budget.ts'

// A hook is a name and parameters, never code or an address: `redact_pii` is pre/redact_pii.ts and post/redact_pii.ts.

export type Phase = 'pre' | 'post'

/** What one hook did, as the metadata reports it. */
export type HookRun = {
  action: string
  phase: Phase
  duration_ms: number
  changed: boolean
  /** What the hook found but did not block. */
  flagged?: string[]
}

type Hook<Params extends TSchema> = {
  description: string
  params: Params
  /** Checks of valid parameters that JSON Schema cannot express. */
  rules?(params: Static<Params>, loc: Loc): ValidationIssue[]
  /** The universal task that the hook uses. It is looked up before any provider is called, so that a typo costs nothing. */
  task?(params: Static<Params>): TaskRequest
}

export type TaskRequest = { model: string; fallbacks?: string[] | null | undefined }

/** A step before the call. Returns the same request if there is nothing to do, and never changes its argument. */
export type PreHook<Params extends TSchema = TSchema> = Hook<Params> & {
  run(request: ChatRequest, params: Static<Params>, tools: PreTools): ChatRequest | Promise<ChatRequest>
}

/** A step after the call. A filter works on a stream as it passes; an answer hook needs the end of the answer. */
export type PostHook<Params extends TSchema = TSchema> = FilterHook<Params> | AnswerHook<Params>

export type FilterHook<Params extends TSchema = TSchema> = Hook<Params> & {
  kind: 'filter'
  /** Opens a filter for each text of an answer. Undefined means that texts in this part stay unchanged. */
  open(params: Static<Params>, tools: PostTools): (part: AnswerPart) => TextFilter | undefined
  /** Used instead of the filter for a text that is complete: it may take longer and use an engine. */
  wholeText?(params: Static<Params>, tools: PostTools): (text: string, part: AnswerPart) => Promise<string>
  /**
   * A check that needs the complete answer, after the filter. Undefined means that there is none and streams are not held
   * back.
   */
  onWhole?(params: Static<Params>, tools: PostTools): ((answer: AnswerTexts) => Promise<AnswerTexts>) | undefined
}

export type AnswerHook<Params extends TSchema = TSchema> = Hook<Params> & {
  kind: 'answer'
  /** Whether the caller has to wait for the hook. A hook that only reads lets a stream pass and runs at the end. */
  holds(params: Static<Params>): boolean
  run(answer: AnswerTexts, params: Static<Params>, tools: PostTools): AnswerTexts | Promise<AnswerTexts>
}

/** The part of an answer that a text is in; `arguments` are those of a tool call. */
export type AnswerPart = 'content' | 'reasoning_content' | 'refusal' | 'arguments'

/** Takes a text in pieces. The result does not depend on how the text is cut. */
export type TextFilter = {
  push(text: string): string
  end(): string
  readonly changed: boolean
}

/** One answer of a completion, with the fields that hooks read. */
export type AnswerTexts = {
  content: string | null
  refusal: string | null
  reasoning_content: string | null
  callsTools: boolean
}

/** Everything that a hook may use. Hooks have no other access to the rest of the gateway. */
export type PreTools = {
  /** The path to the hook's `params` in the request. */
  loc: Loc
  task(request: TaskRequest, input: Record<string, unknown>): Promise<unknown>
  /** The text of a PDF file or an office document; undefined for anything else. */
  textOfDocument(bytes: Uint8Array): Promise<string | undefined>
  estimateTokens(text: string): number
  /** The work that all hooks of a call may do on the event loop. More work is done by an engine. */
  shortWork: StepBudget
  /** The work that all hooks of a call may do on the event loop in slices, because it needs what only the event loop has. */
  longWork: LongWork
  /** Runs a piece of work in an engine, in a thread with limits of time and memory. */
  engine<Name extends EngineName>(name: Name, input: Engines[Name]['input']): Promise<Engines[Name]['output']>
  /** The personal data that the engines find in each text, in the order of the texts. */
  personalDataIn(texts: readonly string[], kinds: readonly Kind[]): Promise<PersonalData[][]>
  /** The placeholders for personal data in this call. */
  placeholders: Placeholders
  /** Records something that was found but not blocked. */
  flag(reason: string): void
}

export type PostTools = PreTools & {
  /**
   * The work that all filters of a call may do on a stream. A stream passes at once, so none of it can be moved to an
   * engine.
   */
  streamWork: StepBudget
  /** The request that the model got, after all pre hooks. */
  request: ChatRequest
  /** Asks the model that answered once more. Returns undefined if it does not answer. */
  askAgain(messages: Message[]): Promise<string | undefined>
}

export function preHook<Params extends TSchema>(hook: PreHook<Params>): PreHook<Params> {
  return hook
}

export function filterHook<Params extends TSchema>(hook: Omit<FilterHook<Params>, 'kind'>): FilterHook<Params> {
  return { kind: 'filter', ...hook }
}

export function answerHook<Params extends TSchema>(hook: Omit<AnswerHook<Params>, 'kind'>): AnswerHook<Params> {
  return { kind: 'answer', ...hook }
}
