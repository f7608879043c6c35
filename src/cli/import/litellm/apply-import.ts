import type { AuditEvent, Author } from '../../../tenants/audit/author.ts'
import { audited } from '../../../tenants/audit/audited.ts'
import { NANOS_PER_DOLLAR } from '../../../platform/config/spend-limits/limit.ts'
import { holderOf, windowOf } from '../../../platform/config/spend-limits/limit-entry.ts'
import { MAX_STORED_LIMITS, type StoredSettings } from '../../../money/limits/limit-cache.ts'
import { spanAt } from '../../../money/limits/windows.ts'
import type { Database, Statement } from '../../../platform/store/database.ts'
import {
  deletedProjects,
  existingIds,
  existingMembers,
  limitInsertions,
  memberInsertions,
  type OpenWindow,
  organizationInsertions,
  memberKey,
  projectInsertions,
  userInsertions,
  windowInsertions,
} from '../../../platform/store/imports/imported-content.ts'
import { type ImportedKey, importKeys, pendingKeys } from '../../../platform/store/keys/imported-keys.ts'
import { countStoredLimits } from '../../../platform/store/limits/stored-limits.ts'
import { holdProject } from '../../../platform/store/projects/projects.ts'
import type { DatabaseImport } from './database/import-database.ts'
import type { ImportedLimit } from './database/limits.ts'

type Content = Omit<DatabaseImport, 'findings'>
type Part = keyof Content
/** How many of each were added, and how many were there already. */
export type ImportSums = Record<Part, { added: number; present: number }> & { revoked: number; balances: number }

/** Adds everything that is not here yet, with its rows in the audit log, in one transaction. Again, it changes nothing. */
export async function applyImport(
  db: Database,
  content: Content,
  { author, now }: { author: Author; now: number },
): Promise<ImportSums> {
  const fresh = await notHere(db, content)
  const balances = fresh.limits.flatMap((limit) => windowsOf(limit, now))
  const { revoked } = await write(db, fresh, balances, author)
  const parts = Object.keys(content).filter((name): name is Part => name in fresh)
  const sums = parts.map((part) => [
    part,
    { added: countOf(fresh, part), present: content[part].length - countOf(fresh, part) },
  ])
  return { ...Object.fromEntries(sums), revoked, balances: balances.length }
}

/** Keys that are here and are to be revoked are no new ones. */
function countOf(fresh: Fresh, part: Part): number {
  return part === 'keys' ? fresh.newKeys : fresh[part].length
}

type Fresh = Content & { newKeys: number }

/** A project that was deleted here stays deleted, with its keys, members and limits. */
async function notHere(db: Database, content: Content): Promise<Fresh> {
  const gone = await deletedProjects(db)
  const stays = ({ project }: { project: string | null }) => project === null || !gone.has(project)
  const limits = content.limits.filter(({ entry }) => !gone.has(entry.appliesTo.replace(/^project:/, '')))
  const keys = await pendingKeys(db, content.keys.filter(stays))
  const places = await existingMembers(db)
  await refuseTooMany(db, limits)
  return {
    organizations: await without(db, 'organizations', content.organizations),
    projects: await without(db, 'projects', content.projects),
    users: await without(db, 'users', content.users),
    members: content.members.filter((member) => stays(member) && !places.has(memberKey(member))),
    limits: await newLimits(db, limits),
    keys,
    newKeys: keys.length - (await existingIds(db, 'keys', idsOf(keys))).size,
  }
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

async function without<Row extends { id: string }>(
  db: Database,
  table: 'organizations' | 'projects' | 'users',
  rows: readonly Row[],
): Promise<Row[]> {
  const existing = await existingIds(db, table, idsOf(rows))
  return rows.filter(({ id }) => !existing.has(id))
}

async function newLimits(db: Database, limits: readonly ImportedLimit[]): Promise<ImportedLimit[]> {
  const ids = limits.map(({ entry }) => entry.id)
  const existing = await existingIds(db, 'limits', ids)
  return limits.filter(({ entry }) => !existing.has(entry.id))
}

async function refuseTooMany(db: Database, limits: readonly ImportedLimit[]): Promise<void> {
  const sum = (await countStoredLimits(db)) + (await newLimits(db, limits)).length
  if (sum > MAX_STORED_LIMITS)
    throw new Error(`There would be ${sum} budgets and rate limits, and ${MAX_STORED_LIMITS} are possible.`)
}

function windowsOf({ entry, spent }: ImportedLimit, now: number): OpenWindow[] {
  const { start } = spanAt(windowOf(entry), entry.timezone ?? 'UTC', now)
  return Object.entries(spent).flatMap(([bucket, usd]) => {
    const amount = Math.round(usd * NANOS_PER_DOLLAR)
    return amount > 0 ? [{ limit: entry.id, bucket, start, spent: amount }] : []
  })
}

async function write(db: Database, fresh: Fresh, balances: readonly OpenWindow[], author: Author) {
  const { organizations, projects, users, members, limits, keys } = fresh
  if ([organizations, projects, users, members, limits, keys].every(({ length }) => length === 0)) return { revoked: 0 }
  const places = new Set(keys.map(({ project }) => project))
  const statements: Statement[] = [
    ...organizationInsertions(organizations),
    ...projectInsertions(projects),
    ...userInsertions(users.map((user) => ({ ...user, importedFrom: 'litellm' }))),
    ...memberInsertions(members),
    ...limitInsertions(limits.map(limitRow)),
    ...windowInsertions(balances),
    ...Array.from(places, holdProject),
  ]
  return await importKeys(audited(db, author, ...eventsOf(fresh)), keys, statements)
}

function limitRow({ kind, entry }: ImportedLimit) {
  const settings = JSON.stringify({ kind, entry } satisfies StoredSettings)
  return { id: entry.id, appliesTo: holderOf(entry.appliesTo)!, settings }
}

/** What gives rights or takes them has a row of its own; the keys have one together. */
function eventsOf({ organizations, projects, users, members, limits, keys }: Fresh): AuditEvent[] {
  return [
    ...organizations.map(({ id, name }) => created('organization', id, { name })),
    ...projects.map(({ id, ...after }) => created('project', id, after)),
    ...users.map(({ id, email, name, kind }) => created('user', id, { email, name, kind })),
    ...members.map(({ id, userId, role, project }) => created('member', id, { user: userId, role, project })),
    ...limits.map(({ kind, entry, spent }) => created(kind, entry.id, { ...entry, spent })),
    { action: 'import.litellm', object: 'keys', after: { keys: keys.length, blocked: keys.filter(isBlocked).length } },
  ]
}

function created(kind: string, id: string, after: Record<string, unknown>): AuditEvent {
  return { action: `${kind}.create`, object: `${kind}:${id}`, after }
}

function isBlocked({ isBlocked }: ImportedKey): boolean {
  return isBlocked
}
