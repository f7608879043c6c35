import Type, { type Static, type TSchema } from '../schema/type.ts'
import type { EngineName, Engines } from '../engine-api/engines.ts'
import type { Loc } from '../schema/issue-messages.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import type { SendOptions, WireLimits, WireRequest, WireResponse } from '../wire/wire.ts'

// A universal task: its address is its path. `text/moderation/openai` is tasks/text/moderation/openai.ts.

/** What a task is priced in, and what an adapter measures. */
export type Unit = 'character' | 'file' | 'image' | 'page' | 'request' | 'second' | 'token'

export type Feature<Input extends TSchema = TSchema, Output extends TSchema = TSchema> = {
  feature: string
  subfeature: string
  /** For people, as in "Text: Moderation". */
  fullname: string
  description: string
  /** A task whose name ends in `_async` runs as a job only; any other runs either way. */
  mode: 'sync' | 'async'
  input: Input
  output: Output
  example: { input: Static<Input>; output: Static<Output> }
  unit: Unit
  /** False where another provider cannot stand in: a voice, a collection of faces. */
  fallbacks?: false
  /** True where `collection_id` names what callers have made and filled before; see collections/. */
  collections?: true
  /** What a valid input can still have wrong, because JSON Schema cannot say it. */
  rules?(input: Static<Input>, loc: Loc): ValidationIssue[]
}

/** Keeps the schemas' types; an example that does not fit them does not compile. */
export function feature<Input extends TSchema, Output extends TSchema>(
  definition: Feature<Input, Output>,
): Feature<Input, Output> {
  return definition
}

/** A field that holds a file: the id of an upload, or an http(s) address. The adapter gets the file, not the string. */
export function fileInput(description: string) {
  return Type.String({ minLength: 1, maxLength: 2083, format: 'file-input', description })
}

/** One provider's way to do a task, asked once. */
export type Adapter<F extends Feature = Feature> = { run(task: TaskOf<F>, tools: Tools): Promise<ResultOf<F>> }

/** One provider's way to do a task that takes minutes: started once, then asked for. The ticket is stored and survives restarts. */
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
  /** The last part of the model string, where there is one. */
  model: string | null
  /** `provider_params`: passed on as they are. */
  params: Record<string, unknown>
  /** The files of the input, by the name of their field; those of a list as `reference_images.0` and so on. */
  files: Record<string, TaskFile>
}

export type TaskFile = { name: string; type: string; size: number; pages: number | null; bytes(): Promise<Uint8Array> }

export type Result<Output> = {
  output: Output
  /** The provider's answer as it came, for `show_original_response`. */
  original: unknown
  /** How much was done, in the task's unit; measured from the input where the provider does not say. */
  units: number
  /** Nobody said how much it was: the units, or the price of one, are a guess, and so is what it cost. */
  estimated?: true
}

/**
 * What a proof has to know. Without more the secret goes where the provider's row says. `headers`, `query` and `fields`
 * (of a JSON body or a form) put it elsewhere: `{secret}` stands for it, `{secret.1}` and `{secret.2}` for its parts
 * where it is made of several, divided by colons.
 */
export type Proof = {
  /** The service that is called, where a provider has several. */
  service?: string | undefined
  headers?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  fields?: Readonly<Record<string, string>>
}

/** What an adapter may use; there is no other way out of this room. */
export type Tools = {
  send(request: WireRequest, options: Pick<SendOptions, 'signal' | 'limits'>): Promise<WireResponse>
  limits: WireLimits
  signal: AbortSignal
  /** Where the provider is, or the service of it that is named. One that is not set up here is told to the caller. */
  address(service?: string): string
  /** The first of these settings of the provider that is set, by its name. None: the caller is told what to set. */
  setting(...names: string[]): { name: string; value: string }
  /** The request with the proof of who we are: no adapter ever sees a secret. */
  authorize(request: WireRequest, proof?: Proof): WireRequest | Promise<WireRequest>
  /** A provider's words without our secrets and its address. */
  redacted(text: string): string
  /** Keeps a file that the task produced and gives a link to it that works for seven days. */
  keep(file: { name: string; type: string; bytes: Uint8Array }): Promise<string>
  /** Has an engine of the house do a piece of work, in a thread of its own. */
  engine<Name extends EngineName>(name: Name, input: Engines[Name]['input']): Promise<Engines[Name]['output']>
}

type TaskOf<F extends Feature> = Task<Static<F['input']>>
type ResultOf<F extends Feature> = Result<Static<F['output']>>
