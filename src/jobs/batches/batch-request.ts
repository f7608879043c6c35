import type { Execution } from '../../contract/batches.ts'
import type { Caller } from '../../tenants/access/caller.ts'

/** What is kept of the request for a batch, beside its lines. */
export type BatchRequest = {
  caller: Caller
  /** Headers that its lines get, too, such as tags. */
  headers: Readonly<Record<string, string>>
  /** The caller's own notes, which the batch shows. */
  metadata: Readonly<Record<string, string>> | null
  /** The lines came with the request, and not in a file. */
  isInline: boolean
  execution: Execution
}
