import { recordOf, textOf } from '../../base/schema/record.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import type { MemoryLease } from '../../calls/memory-budget.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { problem } from '../../contract/problems.ts'
import { findResult, type StoredFile } from '../../platform/store/files.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { readDataUrl } from '../../translation/dialects/data-url.ts'
import { findJob } from '../read-jobs.ts'
import { findVideo } from './videos.ts'

/** A result file, or the bytes where the project stores no files. */
type VideoContent = { file: StoredFile } | { type: string; bytes: Buffer }

export async function videoContent(
  id: string,
  caller: Caller,
  memory: MemoryLease,
  services: Pick<CallServices, 'db' | 'files' | 'loopSlot'>,
): Promise<VideoContent> {
  const { status } = await findVideo(id, caller, services)
  if (status === 'failed') throw problem('not_found', { message: 'This video could not be made.' })
  if (status !== 'completed') throw problem('conflict', { message: 'This video is not complete yet.' })
  const { job } = await findJob(id, caller, memory, services)
  const { video, video_resource_url: url } = recordOf(job.output)
  const data = readDataUrl(textOf(url))
  if (data) return { type: data.type, bytes: Buffer.from(data.base64, 'base64') }
  const file = await resultAt(textOf(url), caller, services)
  if (file) return { file }
  if (textOf(video) !== '') return { type: 'video/mp4', bytes: Buffer.from(textOf(video), 'base64') }
  throw problem('not_found', { message: 'The bytes of this video are no longer stored.' })
}

/** The link is the gateway's own, and names the file. */
async function resultAt(url: string, { owner }: Caller, { db }: Pick<CallServices, 'db'>) {
  const id = /\/results\/([^/?]+)\?/.exec(url)?.[1]
  const file = id !== undefined && isResourceId(id) ? await findResult(db, id) : undefined
  return file?.owner === owner ? file : undefined
}
