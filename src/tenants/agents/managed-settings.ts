import { hash } from 'node:crypto'
import type { ClaudeCodeSettings } from '../../contract/admin/claude-code-settings.ts'
import type { ManagedSettings } from '../../contract/agents.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { Caller } from '../access/caller.ts'
import type { Database } from '../../platform/store/database.ts'
import { findOrganization } from '../../platform/store/projects/organizations.ts'
import { findProject } from '../../platform/store/projects/projects.ts'

type Settings = Record<string, unknown>

/**
 * What Claude Code has to follow in a session: the settings of its organization and of its project. `models` are those that it may use,
 * or undefined if it may use all; they are filled in unless the settings name some. Undefined if there is nothing to follow.
 */
export async function managedSettings(
  { organization, project }: Pick<Caller, 'organization' | 'project'>,
  models: readonly string[] | undefined,
  { db }: { db: Database },
): Promise<ManagedSettings | undefined> {
  const [ofOrganization, ofProject] = await Promise.all([findOrganization(db, organization), findProject(db, project)])
  const merged = mergeSettings(ofOrganization?.claudeCodeSettings ?? null, ofProject?.claudeCodeSettings ?? null)
  const settings = models ? { availableModels: models, ...merged } : merged
  if (Object.keys(settings).length === 0) return undefined
  const checksum = hash('sha256', JSON.stringify(settings))
  return { uuid: uuidOf(checksum), checksum: `sha256:${checksum}`, settings }
}

/** What the organization sets, no project changes; lists of permissions of both hold. */
function mergeSettings(ofOrganization: ClaudeCodeSettings | null, ofProject: ClaudeCodeSettings | null): Settings {
  return merged(withoutNulls(ofOrganization ?? {}), withoutNulls(ofProject ?? {}), { joins: false })
}

function merged(first: Settings, second: Settings, { joins }: { joins: boolean }): Settings {
  const result: Settings = { ...second, ...first }
  for (const [name, theirs] of Object.entries(second)) {
    const ours = first[name]
    if (isRecord(ours) && isRecord(theirs))
      result[name] = merged(ours, theirs, { joins: joins || name === 'permissions' })
    else if (joins && Array.isArray(ours) && Array.isArray(theirs)) result[name] = [...new Set([...ours, ...theirs])]
  }
  return result
}

function withoutNulls(settings: object): Settings {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => {
      if (value === null) return []
      return [[name, isRecord(value) ? withoutNulls(value) : value]]
    }),
  )
}

/** The same settings have the same id (RFC 9562, version 8). */
function uuidOf(digest: string): string {
  const hex = `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
