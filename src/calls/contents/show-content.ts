import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { Author } from '../../tenants/audit/author.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { ContentState, RequestContent } from '../../contract/admin/content.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import { mayReadContents } from '../../tenants/people/may-read-contents.ts'
import { isoOf } from '../../tenants/people/people-services.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { findContent, type StoredContent } from '../../platform/store/contents/contents.ts'
import type { Database } from '../../platform/store/database.ts'
import type { Opened } from '../../platform/late.ts'
import { findProject } from '../../platform/store/projects/projects.ts'
import { findRequests } from '../../platform/store/requests/find-requests.ts'
import { readContent } from './content-blobs.ts'

type Services = { db: Database; blobs: BlobStore; secrets: Opened<Secrets>; actor: Actor; author: Author }
type ContentBody = Pick<RequestContent, 'status' | 'code' | 'request' | 'answer'>

/**
 * The content of a call. An actor who may not see it gets the same answer as if there were none. Every reading is in the
 * audit log.
 */
export async function showContent(callId: string, services: Services): Promise<RequestContent> {
  const { db, blobs, actor, author } = services
  const found = await findContent(db, callId)
  if (!found || !(await mayReadContent(found, { db, actor }))) throw none()
  const secrets = services.secrets.current
  const content = secrets && ((await readContent(found, secrets, blobs)) as ContentBody | undefined)
  if (!content) throw none()
  const { project, mode, createdAt, expiresAt } = found
  await writeAuditEvents(db, author, { action: 'content.read', object: `request:${callId}`, after: { project, mode } })
  return { id: callId, project, mode, created_at: isoOf(createdAt), expires_at: isoOf(expiresAt), ...content }
}

/** Whether the actor can read what is kept of a call. */
export async function mayReadContent(found: StoredContent, reader: Pick<Services, 'db' | 'actor'>): Promise<boolean> {
  return await maySee(await scopeOf(found, reader.db), reader)
}

type CallScope = { organization: string; project: string; user: string | null }

/**
 * Whether the actor can read the content of a call of the ledger. An actor who may not read it gets the same answer whether
 * or not content is kept.
 */
export async function contentState(
  { id, ...scope }: CallScope & { id: string },
  reader: Pick<Services, 'db' | 'actor'>,
): Promise<ContentState> {
  if (!(await maySee(scope, reader))) return 'not_allowed'
  return (await findContent(reader.db, id)) ? 'kept' : 'none'
}

async function maySee({ organization, project: id, user }: CallScope, { db, actor }: Pick<Services, 'db' | 'actor'>) {
  const project = await findProject(db, id)
  // Calls from before the project went to another organization belong to the former one, as they do in all reports, and the
  // other one does not say who reads them.
  const isOfProject = organization === project?.organization
  const scope = { organization, project: isOfProject ? id : null, user }
  return mayReadContents(actor, scope, isOfProject ? project.content : null)
}

async function scopeOf({ callId, project, user }: StoredContent, db: Database): Promise<CallScope> {
  const organization = (await organizationOfCall(db, callId)) ?? (await findProject(db, project))?.organization ?? ''
  return { organization, project, user }
}

/** Undefined if the ledger does not have its line yet, or not any more. */
async function organizationOfCall(db: Database, callId: string): Promise<string | undefined> {
  const { lines } = await findRequests(db, { from: 0, to: Number.MAX_SAFE_INTEGER, filter: { callId }, limit: 1 })
  return lines[0]?.organization
}

function none() {
  return problem('not_found', { message: 'No content of this call is kept, or you may not read it.' })
}
