import type { Static, TSchema } from '../schema/type.ts'
import type { ChatRequest, Message } from '../contract/chat.ts'
import type { Loc } from '../schema/issue-messages.ts'
import type { EngineName, Engines } from '../engine-api/engines.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import type { Kind, PersonalData } from './pii/personal-data.ts'
import type { Placeholders } from './pii/placeholders.ts'
import type { StepBudget } from './step-budget.ts'

// A hook is a name and parameters, never code and never an address: `redact_pii` is pre/redact_pii.ts and post/redact_pii.ts.

export type Phase = 'pre' | 'post'

/** What one hook did, as the metadata tells it. */
export type HookRun = {
  action: string
  phase: Phase
  duration_ms: number
  changed: boolean
  /** What it found and let pass. */
  flagged?: string[]
}

type Hook<Params extends TSchema> = {
  description: string
  params: Params
  /** What valid parameters can still have wrong, because JSON Schema cannot say it. */
  rules?(params: Static<Params>, loc: Loc): ValidationIssue[]
  /** The universal task that it has done; looked up before anyone is called, so that a typo costs nothing. */
  task?(params: Static<Params>): TaskRequest
}

export type TaskRequest = { model: string; fallbacks?: string[] | null | undefined }

/** A step before the call. Gives back the same request when there was nothing to do; never changes the one it got. */
export type PreHook<Params extends TSchema = TSchema> = Hook<Params> & {
  run(request: ChatRequest, params: Static<Params>, tools: PreTools): ChatRequest | Promise<ChatRequest>
}

/** A step after the call. A filter works on a stream as it passes; the other kind needs the end of the answer. */
export type PostHook<Params extends TSchema = TSchema> = FilterHook<Params> | AnswerHook<Params>

export type FilterHook<Params extends TSchema = TSchema> = Hook<Params> & {
  kind: 'filter'
  /** The texts of one answer get a filter each; undefined: this place is left alone. */
  open(params: Static<Params>, tools: PostTools): (place: Place) => TextFilter | undefined
  /** For a text that is there as a whole, in the place of its filter: it may take its time, and an engine's. */
  wholeText?(params: Static<Params>, tools: PostTools): (text: string, place: Place) => Promise<string>
  /** What can be told of whole answers only, after the filter. Undefined: nothing, and no stream is held back for it. */
  onWhole?(params: Static<Params>, tools: PostTools): ((answer: Answer) => Promise<Answer>) | undefined
}

export type AnswerHook<Params extends TSchema = TSchema> = Hook<Params> & {
  kind: 'answer'
  /** Whether the caller has to wait for it. One that only looks lets a stream pass and looks at the end. */
  holds(params: Static<Params>): boolean
  run(answer: Answer, params: Static<Params>, tools: PostTools): Answer | Promise<Answer>
}

/** Where text stands in an answer; `arguments` are those of a tool call. */
export type Place = 'content' | 'reasoning_content' | 'refusal' | 'arguments'

/** Takes a text in pieces. However it is cut, what comes out is the same. */
export type TextFilter = {
  push(text: string): string
  end(): string
  readonly changed: boolean
}

/** One of the answers of a completion, as far as hooks look at it. */
export type Answer = {
  content: string | null
  refusal: string | null
  reasoning_content: string | null
  callsTools: boolean
}

/** What a hook may use; there is no other way out of this room. */
export type PreTools = {
  /** The way to its `params` in the request. */
  loc: Loc
  task(request: TaskRequest, input: Record<string, unknown>): Promise<unknown>
  /** Of a PDF file or a document of an office program; undefined for anything else. */
  textOfDocument(bytes: Uint8Array): Promise<string | undefined>
  estimateTokens(text: string): number
  /** What all hooks of a call may do at once, on the event loop. What takes more is done by an engine. */
  shortWork: StepBudget
  /** Has an engine do a piece of work, in a thread with a limit of time and memory. */
  engine<Name extends EngineName>(name: Name, input: Engines[Name]['input']): Promise<Engines[Name]['output']>
  /** What the engines find in each of these texts, in its order. */
  personalDataIn(texts: readonly string[], kinds: readonly Kind[]): Promise<PersonalData[][]>
  /** What stands for personal data in this call. */
  placeholders: Placeholders
  /** Notes what was found and let pass. */
  flag(reason: string): void
}

export type PostTools = PreTools & {
  /** What all filters of a call may do on a stream: it passes at once, so nothing of it can be left to an engine. */
  streamWork: StepBudget
  /** What the model was asked, after all pre hooks. */
  request: ChatRequest
  /** Asks the model that answered once more; undefined when it does not. */
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
