import type { CallServices } from '../../../calls/services/call-services.ts'
import { COPIES_OF_BODY, UNCOUNTED_BYTES } from '../../../calls/memory-budget.ts'
import type { ResponseObject } from '../../../contract/responses.ts'
import type { Database } from '../../../platform/store/database.ts'
import type { Opened } from '../../../platform/late.ts'
import { LARGE_CHARS } from '../../../translation/json/large-text.ts'
import { tryParse } from '../../../translation/json/try-parse.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { readRequest } from '../../../platform/store/jobs/job-runs.ts'
import * as store from '../../../platform/store/responses/background.ts'
import type { StoredResponse, ResponseReader, ResponseRequest } from '../stored-response.ts'
import { uuidOf } from '../response-ids.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// Responses in the background, as their owners see them.

/** What stops a response that is still being made. */
export type Stopping = { db: Database; background: Opened<{ stopJob(id: string): void }> }

type Space = Pick<CallServices, 'db' | 'config' | 'loopSlot'>

type ShownResponse = Pick<StoredResponse, 'response' | 'exact'> & {
  isStreamed: boolean
  /** If it has ended with an answer. */
  stored?: StoredResponse
}

/** Undefined if no such response was made in the background. */
export async function findInBackground(
  id: string,
  reader: ResponseReader,
  services: Space,
): Promise<ShownResponse | undefined> {
  const found = await findRow(id, reader.owner, services)
  if (!found) return undefined
  const shell = tryParse(found.shell) as Pick<StoredResponse, 'response' | 'exact'>
  const { isStreamed } = found
  if (found.stop) return { response: ended(shell.response, 'cancelled'), ...exactOf(shell), isStreamed }
  const stored = found.resultChars > 0 ? await readResult(id, found.resultChars, reader, services) : undefined
  if (stored) return { ...stored, isStreamed, ...(found.state === 'success' && { stored }) }
  return { response: unanswered(shell.response, found), ...exactOf(shell), isStreamed }
}

/** What a response is being made from, or was going to be. */
export async function inputInBackground(
  id: string,
  { owner, memory }: ResponseReader,
  services: Space,
): Promise<Fields[] | undefined> {
  const found = await findRow(id, owner, services)
  if (!found) return undefined
  if (found.requestChars > UNCOUNTED_BYTES) await memory.hold(found.requestChars * COPIES_OF_BODY)
  const text = await readRequest(services.db, uuidOf(id))
  if (found.requestChars > LARGE_CHARS) await services.loopSlot(owner)
  return (tryParse(text) as { request: ResponseRequest }).request.items
}

/** Returns false if no such response was made in the background. One that is still being made stops. */
export async function dropInBackground(id: string, owner: string, { db, background }: Stopping): Promise<boolean> {
  if (!(await store.deleteResponse(db, owner, uuidOf(id)))) return false
  background.current?.stopJob(uuidOf(id))
  return true
}

/** Cancelling what has ended, or what is no response in the background, changes nothing. */
export async function cancelInBackground(id: string, owner: string, { db, background }: Stopping): Promise<void> {
  await store.cancelResponse(db, owner, uuidOf(id))
  background.current?.stopJob(uuidOf(id))
}

async function findRow(id: string, owner: string, { db, config }: Space) {
  const uuid = uuidOf(id)
  const keepMs = config.responseRetentionDays * DAY_MS
  return uuid === '' ? undefined : await store.findBackground(db, { id: uuid, owner, keepMs })
}

async function readResult(id: string, chars: number, { owner, memory }: ResponseReader, { db, loopSlot }: Space) {
  if (chars > UNCOUNTED_BYTES) await memory.hold(chars * COPIES_OF_BODY)
  const text = await store.readResult(db, uuidOf(id))
  if (chars > LARGE_CHARS) await loopSlot(owner)
  return text === undefined ? undefined : (tryParse(text) as StoredResponse)
}

/** A job that ended without a result was given up. */
function unanswered(shell: ResponseObject, { state, error }: store.BackgroundResponse): ResponseObject {
  if (state === 'queued') return shell
  if (state === 'running') return { ...shell, status: 'in_progress' }
  return { ...shell, status: 'failed', error: { code: 'server_error', message: error ?? '' } }
}

function ended(shell: ResponseObject, status: ResponseObject['status']): ResponseObject {
  return { ...shell, status }
}

function exactOf({ exact }: Pick<StoredResponse, 'exact'>) {
  return exact && { exact }
}
