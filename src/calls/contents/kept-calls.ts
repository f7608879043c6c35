import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { problem } from '../../contract/problems.ts'
import type { Opened } from '../../platform/late.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { newestContents } from '../../platform/store/contents/contents.ts'
import type { Database } from '../../platform/store/database.ts'
import { findProject } from '../../platform/store/projects/projects.ts'
import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { Author } from '../../tenants/audit/author.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import { mayReadContents } from '../../tenants/people/may-read-contents.ts'
import { readContent } from './content-blobs.ts'
import { mayReadContent } from './show-content.ts'

/** What is kept of a call. `chars`: how long it is as JSON. */
export type KeptCall = { id: string; request: unknown; answer: unknown; chars: number }

type Reader = { db: Database; blobs: BlobStore; secrets: Opened<Secrets>; actor: Actor; author: Author }
type Reading = { project: string; calls: number; for: string }

/** The newest contents that a project keeps, for an actor who may read all of them. The reading is in the audit log. */
export async function keptCalls(
  { project: id, calls, for: reason }: Reading,
  reader: Reader,
): Promise<AsyncGenerator<KeptCall>> {
  const { db, actor, author } = reader
  const project = await findProject(db, id)
  const mayRead =
    project && mayReadContents(actor, { organization: project.organization, project: id }, project.content)
  if (!mayRead) throw problem('not_found', { message: NOT_YOURS })
  await writeAuditEvents(db, author, {
    action: 'content.replay',
    object: `project:${id}`,
    after: { guardrail: reason, calls },
  })
  return readCalls({ project: id, calls }, reader)
}

const NOT_YOURS = 'There is no such project, or you may not read the contents of all of its calls.'

async function* readCalls(
  { project, calls }: Pick<Reading, 'project' | 'calls'>,
  { db, blobs, secrets, actor }: Reader,
): AsyncGenerator<KeptCall> {
  for (const found of await newestContents(db, project, calls)) {
    const isReadable = secrets.current && (await mayReadContent(found, { db, actor }))
    const content = isReadable ? await readContent(found, secrets.current, blobs) : undefined
    if (typeof content !== 'object' || content === null) continue
    const { request, answer } = content as { request?: unknown; answer?: unknown }
    yield { id: found.callId, request, answer, chars: JSON.stringify(content).length }
  }
}
