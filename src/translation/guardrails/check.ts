import type { Static, TSchema } from '../../base/schema/type.ts'
import type { Loc } from '../../base/schema/issue-messages.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { TaskRequest } from '../hooks/hook.ts'
import type { StepBudget } from '../hooks/step-budget.ts'

// A check of a guardrail looks at texts and says what it found. What follows from that (flag, redact, block), when it is asked, and
// what its failure means are the guardrail's matter, not the check's.

const GUARD_PHASES = ['input', 'output', 'tool_arguments', 'tool_results'] as const
export type GuardPhase = (typeof GUARD_PHASES)[number]

/** A text to check, and where it stands. A fixed text cannot be replaced (names, ids, signed blocks): what has to be redacted in it is blocked. */
export type CheckedText = { text: string; phase: GuardPhase; isFixed?: boolean }

/** A place in a text, in UTF-16 units. `rule` is what was found (`email`, `aws_access_key`, `word 0`, `hate`, `S1`), never the text itself. */
export type Span = {
  from: number
  to: number
  rule: string
  /** The rest of a find whose first part was reported before. */
  continues?: boolean
}

/** What a check says about texts; the lists are in the order of the texts. */
export type Verdict = {
  /** The rules that found something; empty if nothing was found. */
  found: readonly string[]
  /** Where it was found. Absent: the check only judges, so that a guardrail that redacts has to block. Without overlaps, in order. */
  spans?: readonly (readonly Span[])[]
  /** The texts as the service has rewritten them, in place of `spans`. */
  texts?: readonly string[]
  /** How many characters at the end of each text must not be released before more of it has been seen. */
  holdbackChars?: readonly number[]
}

/** What a check may know about the call. */
export type GuardContext = {
  callId: string
  endpoint: string
  model: string
  organization: string
  project: string
  key: string
  isStream: boolean
}

type CheckBase<Params extends TSchema> = {
  description: string
  params: Params
  /** Checks of valid parameters that JSON Schema cannot express. */
  rules?(params: Static<Params>, loc: Loc): ValidationIssue[]
}

/** A check inside of the gateway, on texts that arrive in pieces: what it finds does not depend on how they are cut. */
export type LocalCheck<Params extends TSchema = TSchema> = CheckBase<Params> & {
  kind: 'local'
  /** How placeholders for what was found begin: `EMAIL` for `[EMAIL_1]`. */
  placeholder(rule: string): string
  /** Whether callers get what was replaced back where the answer has its placeholder. */
  isRestored?(params: Static<Params>): boolean
  /** Prepares the parameters once; every text gets a scanner of its own. */
  open(params: Static<Params>, budget: StepBudget): () => Scanner
}

/** Reads one text. Positions count from the beginning of the whole text. */
export type Scanner = {
  push(text: string): Scanned
  end(): Scanned
}

/** Before `settled` nothing more will be found: the text up to there can be released once `spans`, those that end by then, are dealt with. */
export type Scanned = { settled: number; spans: readonly Span[] }

/** A service outside of the gateway. `read` throws on every answer that it does not understand. */
export type RemoteCheck<Params extends TSchema = TSchema> = CheckBase<Params> & {
  kind: 'remote'
  auth(params: Static<Params>): GuardAuth
  /** Whether it can say where something was found, or rewrite texts. Those that can run one after the other. */
  rewrites: boolean
  /** How many characters one request may have, all texts together; longer ones are sent in parts that overlap. */
  maxChars: number
  /** How many texts one request may have; absent: as many as fit. */
  maxTexts?: number
  request(texts: readonly CheckedText[], params: Static<Params>, context: GuardContext): GuardRequest
  read(reply: unknown, texts: readonly CheckedText[], params: Static<Params>): Verdict
}

/**
 * How requests prove who asks: with a secret in a header, which the parameter `credential` names (`env:NAME`), with a signature
 * made with that secret (`signatureHeaders` in remote/signature.ts), or as those to a configured provider do (`credential: provider:<id>`, and `provider` if the parameter is absent).
 */
export type GuardAuth =
  | { kind: 'header'; header: string; prefix?: string; isOptional?: boolean }
  | { kind: 'signature'; isOptional?: boolean }
  | { kind: 'provider'; provider: string; service?: string }

/** A POST of JSON. A `url` that begins with a slash is at the address of the provider whose credential is used. */
export type GuardRequest = { url: string; headers?: Readonly<Record<string, string>>; body: unknown }

/** A model or a task of the gateway judges. */
type ModelCheck<Params extends TSchema = TSchema> = CheckBase<Params> & {
  kind: 'model'
  /** Whether it says where something was found. */
  rewrites?: boolean
  maxChars: number
  maxTexts?: number
  /** The universal task that it uses, if it is one. */
  task?(params: Static<Params>): TaskRequest
  run(texts: readonly CheckedText[], params: Static<Params>, tools: ModelTools, context: GuardContext): Promise<Verdict>
}

/** Everything is paid by the call that is checked. */
export type ModelTools = {
  /** Runs a task of `/v3/universal-ai`; resolves with its output. */
  task(request: TaskRequest, input: Record<string, unknown>): Promise<unknown>
  /** Asks a chat model; resolves with the text of its answer, and fails if the answer was cut or refused. */
  chat(request: GuardQuestion): Promise<string>
}

/** `fields` are those of a chat request. `maxCost`, in USD: a request that can cost more, or whose cost is unknown, is not sent. */
export type GuardQuestion = {
  model: string
  messages: readonly GuardMessage[]
  fields?: Readonly<Record<string, unknown>>
  maxCost?: number | undefined
}

export type GuardMessage = { role: 'system' | 'user' | 'assistant'; content: string }

export type Check<Params extends TSchema = TSchema> = LocalCheck<Params> | RemoteCheck<Params> | ModelCheck<Params>

export function localCheck<Params extends TSchema>(check: Omit<LocalCheck<Params>, 'kind'>): LocalCheck<Params> {
  return { kind: 'local', ...check }
}

export function remoteCheck<Params extends TSchema>(check: Omit<RemoteCheck<Params>, 'kind'>): RemoteCheck<Params> {
  return { kind: 'remote', ...check }
}

export function modelCheck<Params extends TSchema>(check: Omit<ModelCheck<Params>, 'kind'>): ModelCheck<Params> {
  return { kind: 'model', ...check }
}

export const NOTHING_FOUND: Verdict = { found: [] }
