import type { Region } from '../../../../platform/providers/provider.ts'
import { type Fields, isRecord, listOf, recordOf } from '../../../../base/schema/record.ts'
import type { ImportedKey } from '../../../../platform/store/keys/imported-keys.ts'
import type { NewUser } from '../../../../platform/store/people/users.ts'
import { type NewProject, PERSONAL } from '../../../../platform/store/projects/projects.ts'
import { endpointScopes } from './route-scopes.ts'
import { intersection, type ModelNames, modelList } from './model-scopes.ts'
import { uuidOf } from './source-ids.ts'
import { CONSOLE_TEAM } from './teams.ts'
import { momentOf } from './values.ts'

const DIGEST = /^[0-9a-f]{64}$/
const MAX_NAME_CHARS = 200

/** Why a key is not taken over. */
export type Skipped = 'console session' | 'unknown form' | 'expired' | 'no model endpoint' | 'no model'

export type KeyContext = ModelNames & {
  region: Region
  now: number
  teams: ReadonlyMap<string, Fields>
  users: ReadonlyMap<string, Fields>
  /** What teams and users have become here, by their ids in LiteLLM. */
  projects: ReadonlyMap<string, Pick<NewProject, 'id'>>
  people: ReadonlyMap<string, Pick<NewUser, 'id'>>
}

/** A row of LiteLLM_VerificationToken. Its token is the SHA-256 of the key, as our digest is: the key itself is never seen. */
export function keyOf(row: Fields, context: KeyContext): ImportedKey | Skipped {
  const { token, team_id: teamId } = row
  if (teamId === CONSOLE_TEAM) return 'console session'
  if (typeof token !== 'string' || !DIGEST.test(token)) return 'unknown form'
  const expiresAt = momentOf(row.expires)
  if (expiresAt !== null && expiresAt <= context.now) return 'expired'
  const scopes = scopesOf(row, context)
  if (typeof scopes === 'string') return scopes
  const id = uuidOf('key', token)
  return {
    id,
    digest: token,
    name: nameOf(row),
    kind: 'live',
    region: context.region,
    scopes,
    ...assignmentOf(id, row, context),
    allowedIps: null,
    last4: last4Of(row),
    expiresAt,
    importedFrom: 'litellm',
    policy: null,
    createdAt: momentOf(row.created_at) ?? context.now,
    isBlocked: row.blocked === true || context.teams.get(String(teamId))?.blocked === true,
  }
}

/** A key without a team shares nothing, as the other keys of `personal`. */
function assignmentOf(id: string, { team_id: team, user_id: user }: Fields, { projects, people }: KeyContext) {
  const project = projects.get(String(team))?.id
  const owner = { ownerKind: project === undefined ? 'key' : 'project', ownerId: project ?? id } as const
  return { project: project ?? PERSONAL, ...owner, user: people.get(String(user))?.id ?? null }
}

function scopesOf(row: Fields, context: KeyContext): string[] | null | Skipped {
  const { teams, users } = context
  const team = teams.get(String(row.team_id))
  const user = team ? undefined : users.get(String(row.user_id))
  const lists = [row.models, team?.models, user?.models].map((models) => modelList(models, context))
  const models = intersection(lists)
  const endpoints = endpointScopes(row.allowed_routes)
  if (endpoints?.length === 0) return 'no model endpoint'
  if (models?.length === 0) return 'no model'
  const scopes = [...(endpoints ?? []), ...(models ?? []).map((name) => `model:${name}`)]
  return scopes.length > 0 ? scopes : null
}

function nameOf({ key_alias: alias, key_name: name }: Fields): string {
  const text = [alias, name].find((one) => typeof one === 'string' && one !== '')
  return String(text ?? 'imported from LiteLLM').slice(0, MAX_NAME_CHARS)
}

/** `sk-...abcd`: LiteLLM keeps the end of the key for people. */
function last4Of({ key_name: name }: Fields): string {
  return /\.\.\.(\S{4})$/.exec(String(name ?? ''))?.[1] ?? ''
}

/** The names of models in a config.yaml, and their access groups. */
export function modelNames(content: Fields): ModelNames {
  const names = new Set<string>()
  const groups = new Map<string, string[]>()
  for (const { model_name: name, model_info: info } of listOf(content.model_list).filter(isRecord)) {
    if (typeof name !== 'string') continue
    names.add(name)
    for (const group of listOf(recordOf(info).access_groups))
      if (typeof group === 'string') groups.set(group, [...(groups.get(group) ?? []), name])
  }
  return { names, groups }
}
