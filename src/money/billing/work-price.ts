import type { Model } from '../../platform/catalog/catalog.ts'
import { costOf, type Tokens } from './token-buckets.ts'

// What work costs that is neither a chat nor an image: speech, transcripts, vectors, rankings, moderation. Bills, reservations and
// estimates all ask here, so that a price of the operator holds for each of them.

export type Work = {
  tokens?: Tokens | null | undefined
  /** How many units were done, for a model that is paid by units. */
  units?: number | undefined
  /** How many requests that took. */
  requests?: number | undefined
}

/** In USD, with what each request costs; null if it is not known. `each` is the price of a unit, if the model is paid by units. */
export function costOfWork(entry: Model | undefined, work: Work, each?: number | undefined): number | null {
  const { tokens, units, requests = 1 } = work
  const fee = feeOfRequests(entry, requests)
  if (each !== undefined) return units === undefined ? null : each * units + fee
  if (!entry?.price) return isPaidByRequest(entry) ? fee : null
  const cost = tokens ? costOf(tokens, entry.price) : null
  return cost === null ? null : cost + fee
}

export function feeOfRequests(entry: Model | undefined, requests: number): number {
  return (entry?.per?.request ?? 0) * requests
}

/** Whether a request has a price, and nothing else. */
export function isPaidByRequest(entry: Model | undefined): boolean {
  return !entry?.price && entry?.per?.request !== undefined
}
