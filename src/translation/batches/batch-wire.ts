import { recordOf } from '../../base/schema/record.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest } from '../wire/wire.ts'

// How providers take batches. A wire says what is asked, and reads what is answered; the code that asks has the address and the key.

/** A request of a batch. `id` is ours, of letters, digits and underscores; `body` is the JSON that the provider's endpoint gets. */
type BatchItem = { id: string; body: string }

/** A batch that is to be created at a provider. */
export type NewBatch = {
  /** Ours, by which it is found again if the answer of the provider is lost. */
  mark: string
  /** The provider's name of the model that all requests are for. */
  model: string
  /** What all requests are for, as the lines of the provider name it. */
  endpoint: string
  items: readonly BatchItem[]
  /** How long it may take. */
  hours: number
}

/** A request to the provider; the path begins behind the base address. */
export type BatchAsk = Pick<WireRequest, 'method'> & {
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

/** Asks the provider and returns its JSON. Throws an `UpstreamProblem` for an error status. */
export type AskBatchApi = (ask: BatchAsk) => Promise<Record<string, unknown>>

/** What became of a request: its answer with the status, or why there is none (`null`). */
export type ItemResult = { id: string; answer: { status: number; body: string } | null }

/** How far a batch at a provider is. */
type BatchLook = { isEnded: false } | ({ isEnded: true } & SeenEnd)

/**
 * `sources`: what to read the results from; undefined if the provider does not say where they are. `failure`: why the provider did not
 * answer the batch as a whole, if it says so.
 */
export type SeenEnd = { sources: readonly ResultSource[] | undefined; failure?: string | undefined }

/** A file of results in lines, or the results themselves; undefined for what is no result. */
export type ResultSource = { path: string } | { results: readonly (ItemResult | undefined)[] }

/** When a batch was begun, and how many requests it has. */
export type SoughtBatch = Pick<NewBatch, 'mark'> & { since: number; count: number; known: ReadonlySet<string> }

export type BatchWire = {
  /** Creates the batch and returns the provider's id of it. `isBegun` is called before the request that does so. */
  create(batch: NewBatch, ask: AskBatchApi, isBegun: () => Promise<void>): Promise<string>
  /** What `find` finds is most likely the batch, and its results say whether it is. */
  guesses?: true
  /** The id of a batch that was created and whose answer was lost; undefined if the provider has none. */
  find(sought: SoughtBatch, ask: AskBatchApi): Promise<string | undefined>
  look(id: string, ask: AskBatchApi): Promise<BatchLook>
  cancel(id: string, ask: AskBatchApi): Promise<void>
  /** A line of a file of results. */
  read(line: Record<string, unknown>): ItemResult | undefined
}

/** The provider has answered, and with something that is no batch: nothing was created that could be looked for. */
export class NoBatch extends UpstreamProblem {
  constructor() {
    super('garbage', 'the provider answered with something that is no batch')
  }
}

/** The id of what a provider has created. */
export function createdId(id: unknown): string {
  if (typeof id !== 'string' || id === '') throw new NoBatch()
  return id
}

/** The words of a provider for batches. `done`: every request has its answer. */
type StateWords = { running: readonly string[]; done: readonly string[]; ended: readonly string[] }

/** A word that is not known does not say whether the batch has ended. */
export function stateIn(word: unknown, words: StateWords): keyof StateWords {
  const said = String(word)
  if (words.running.includes(said)) return 'running'
  if (words.done.includes(said)) return 'done'
  if (words.ended.includes(said)) return 'ended'
  const shown = JSON.stringify(said.slice(0, MAX_SHOWN_CHARS))
  throw new UpstreamProblem('garbage', `the provider gave a batch the state ${shown}, which is not known`)
}

const MAX_SHOWN_CHARS = 40

/** What a provider says about a batch that it did not answer, in the first of its errors. */
export function failureIn(errors: unknown): string | undefined {
  const [first] = Array.isArray(errors) ? errors : []
  const { message } = recordOf(first)
  return typeof message === 'string' && message !== '' ? message.slice(0, MAX_FAILURE_CHARS) : undefined
}

const MAX_FAILURE_CHARS = 500

/** The files with results, of which there is one at least if all requests were answered. */
export function filesOf(ids: readonly unknown[], state: 'done' | 'ended'): ResultSource[] | undefined {
  const files = ids.filter((id): id is string => typeof id === 'string' && id !== '')
  if (state === 'done' && files.length === 0) return undefined
  return files.map((file) => ({ path: `/files/${encodeURIComponent(file)}/content` }))
}

export const JSON_HEADERS = { 'content-type': 'application/json' }

/** How far the clocks of a provider and of the gateway may be apart. */
export const CLOCKS_MS = 60_000

/** The most pages of a list that are searched, newest first. */
export const MAX_PAGES = 20
export const PAGE = 100
