import type { Region } from '../platform/providers/provider.ts'
import type { SendReport } from '../translation/wire/wire.ts'

/** What happened at one try at one target with one credential. */
export type AttemptRecord = {
  readonly model: string
  readonly provider: string
  /** The region that the name of the model demands. */
  readonly demanded?: Region | undefined
  readonly outcome: string
  readonly durationMs: number
  /** On the monotonic clock. */
  readonly startedAt: number
  /** The name of the credential, if it has one; never the secret. */
  readonly credential: string | null
  readonly wire: Readonly<SendReport>
  /** Why it failed, without secrets. */
  readonly reason: string | null
  /** The provider's row: its address, and its name in OpenTelemetry's conventions. */
  readonly providerRow: { readonly baseUrl: string; readonly conventionName?: string | undefined }
}
