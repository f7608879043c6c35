import Type, { type Static, type TSchema } from '../../base/schema/type.ts'
import type { EngineName, Engines } from '../engine-api/engines.ts'
import type { Loc } from '../../base/schema/issue-messages.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { SendOptions, WireTimeouts, WireRequest, WireResponse } from '../wire/wire.ts'

// A task. Its address is its path: `text/moderation/openai` is translation/tasks/text/moderation/openai.ts.

/** The unit in which a task is priced and an adapter measures. */
type Unit = 'character' | 'file' | 'image' | 'page' | 'request' | 'second' | 'token'

export type Feature<Input extends TSchema = TSchema, Output extends TSchema = TSchema> = {
  feature: string
  subfeature: string
  /** The display name, as in "Text: Moderation". */
  fullname: string
  description: string
  /** A task whose name ends in `_async` runs as a job only; any other runs either way. */
  mode: 'sync' | 'async'
  input: Input
  output: Output
  example: { input: Static<Input>; output: Static<Output> }
  unit: Unit
  /** False if another provider cannot take over, because a voice or a collection of faces belongs to one. */
  fallbacks?: false
  /** True if `collection_id` names a collection that callers have created and filled before; see collections/. */
  collections?: true
  /** True if an output without any value means that the provider did not do the task. */
  refusesBlank?: true
  /** Checks that JSON Schema cannot express. */
  rules?(input: Static<Input>, loc: Loc): ValidationIssue[]
}

/** Keeps the types of the schemas, so that an example that does not match them is a compile error. */
export function feature<Input extends TSchema, Output extends TSchema>(
  definition: Feature<Input, Output>,
): Feature<Input, Output> {
  return definition
}

/** A field with a file: the id of an upload, or an http(s) URL. The adapter gets the file, not the string. */
export function fileInput(description: string) {
  return Type.String({ minLength: 1, maxLength: 2083, format: 'file-input', description })
}

/** How one provider does a task in one call. */
export type Adapter<F extends Feature = Feature> = { run(task: TaskOf<F>, tools: Tools): Promise<ResultOf<F>> }

/**
 * How one provider does a task that takes minutes: it is started once and then polled. The ticket is stored and survives
 * restarts.
 */
export type SlowAdapter<F extends Feature = Feature, Ticket = unknown> = {
  start(task: TaskOf<F>, tools: Tools): Promise<Ticket>
  poll(ticket: Ticket, tools: Tools): Promise<'pending' | ResultOf<F>>
  cancel?(ticket: Ticket, tools: Tools): Promise<void>
}

export function adapter<F extends Feature>(_feature: F, run: Adapter<F>['run']): Adapter<F> {
  return { run }
}

export function slowAdapter<F extends Feature, Ticket>(
  _feature: F,
  steps: SlowAdapter<F, Ticket>,
): SlowAdapter<F, Ticket> {
  return steps
}

export type Task<Input> = {
  input: Input
  /** The last part of the model string, if there is one. */
  model: string | null
  /** `provider_params`, passed on unchanged. */
  params: Record<string, unknown>
  /** The files of the input, by the name of their field; in a list as `reference_images.0` and so on. */
  files: Record<string, TaskFile>
}

export type TaskFile = {
  name: string
  type: string
  size: number
  /** Of a PDF, if they could be counted. */
  pages: number | null
  /** The most pictures of an image file and the most seconds of a recording, as far as its bytes show. Budgets reserve for them. */
  mostPages?: number | undefined
  mostSeconds?: number | undefined
  bytes(): Promise<Uint8Array>
}

export type Result<Output> = {
  output: Output
  /** The provider's unchanged answer, for `show_original_response`. */
  original: unknown
  /** The amount of work in the task's unit; measured from the input if the provider does not report it. */
  units: number
  /** The units or their price, and therefore the cost, are estimated. */
  estimated?: true
}

/**
 * Where the secret goes in a request; by default where the provider's row says. `headers`, `query` and `fields` (of a JSON body
 * or a form) put it elsewhere: `{secret}` stands for it, and `{secret.1}` and `{secret.2}` for the parts of a secret with
 * colons.
 */
export type Proof = {
  /** The service to call, if a provider has several. */
  service?: string | undefined
  headers?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  fields?: Readonly<Record<string, string>>
}

/** Everything that an adapter may use; it has no other access to the outside. */
export type Tools = {
  /** `isFree`: the provider bills nothing for this request alone, such as the upload of a file that a task is about. */
  send(
    request: WireRequest,
    options: Pick<SendOptions, 'signal' | 'timeouts'> & { isFree?: boolean | undefined },
  ): Promise<WireResponse>
  timeouts: WireTimeouts
  signal: AbortSignal
  /** The time of day, in milliseconds since 1970. */
  now(): number
  /** The address of the provider or of one of its services. Throws an error for the caller if it is not configured. */
  address(service?: string): string
  /** The first of these settings of the provider that is set. If none is, the error for the caller names what to set. */
  setting(...names: string[]): { name: string; value: string }
  /** Adds the credential to the request; adapters never see a secret. */
  authorize(request: WireRequest, proof?: Proof): WireRequest | Promise<WireRequest>
  /** Removes our secrets and the provider's address from a provider's message. */
  redacted(text: string): string
  /** Stores a file that the task produced and returns a link that is valid for seven days by default. */
  keep(file: { name: string; type: string; bytes: Uint8Array }): Promise<string>
  /** Runs an engine in its worker thread. */
  engine<Name extends EngineName>(name: Name, input: Engines[Name]['input']): Promise<Engines[Name]['output']>
}

export type TaskOf<F extends Feature> = Task<Static<F['input']>>
export type ResultOf<F extends Feature> = Result<Static<F['output']>>
