import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import { storedBytesOf } from '../../platform/store/owner-scans.ts'

/** Throws if the owner has stored so much that these bytes do not fit. Everything that an owner stores counts together. */
export async function demandStorage(
  owner: string,
  bytes: number,
  { db, quotaBytes }: { db: Database; quotaBytes: number },
): Promise<void> {
  if ((await storedBytesOf(db, owner)) + bytes > quotaBytes) throw tooMuchStored(quotaBytes)
}

export function tooMuchStored(quotaBytes: number) {
  const message =
    `Files, stored responses, conversations and jobs of this owner may take ${Math.floor(quotaBytes / 1024 / 1024)} MB together, ` +
    'and this does not fit. Delete some of them first: DELETE /v3/files/{file_id}, /v3/responses/{response_id}, ' +
    '/v3/conversations/{conversation_id} or /v3/universal-ai/async/{job_id}.'
  return problem('too_large', { message })
}
