import { DELAYS_MS, PATIENT_DELAYS_MS } from './schedule.ts'

// Deliveries go to two kinds of receivers: addresses that callers name, and receivers of the operator's config file, whose
// deliveries have a name instead of an address.

/** `receiver:ops` is the receiver `ops` of the config file. No caller can name such an address. */
export const RECEIVER_SCHEME = 'receiver:'

type Channel = {
  delaysMs: readonly number[]
  /** Statuses of refusals that may pass: a receiver that is being replaced, or that wants to be asked less often. */
  retriedStatuses: readonly number[]
}

const OF_CALLERS: Channel = { delaysMs: DELAYS_MS, retriedStatuses: [] }
const OF_OPERATOR: Channel = { delaysMs: PATIENT_DELAYS_MS, retriedStatuses: [404, 408, 425, 429] }

export function channelOf(url: string): Channel {
  return url.startsWith(RECEIVER_SCHEME) ? OF_OPERATOR : OF_CALLERS
}
