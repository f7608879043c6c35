import type { Rejected } from './format.ts'

// One way to a collector: OTLP over HTTP, or over gRPC. Each of them says in the same words what became of a batch, so that there
// is one place that waits, tries again and counts.

/** Where one signal goes. Headers may hold secrets and are never shown. */
export type SignalTarget = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export type Packed = { readonly bytes: Uint8Array; readonly isCompressed: boolean }

export type CollectorAnswer =
  /** The collector has the batch, or all of it but a part. */
  | { readonly kind: 'taken'; readonly rejected: Rejected | undefined }
  /** It may take the same batch later; after how long, if it says so. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: number | undefined }
  /** It will never take this batch. */
  | { readonly kind: 'refused'; readonly why: string }

/** Rejects if no answer comes. */
export type Transport = (batch: Packed, signal: AbortSignal) => Promise<CollectorAnswer>
