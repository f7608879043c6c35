import type { GuardrailBody } from '../../../src/contract/admin/guardrails.ts'
import type { GuardrailOutcome } from '../../../src/contract/admin/line-filters.ts'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'
import { getJson, pathTo } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import type { Find, Option } from '../picker.tsx'

/** Things that a filter can name. */
export type Source = {
  /** For as long as a picker is open: what it has asked for, it keeps. */
  open: () => Find
  /** What people call it. */
  nameOf?: (value: string) => Promise<string | undefined>
}

const MOST_SHOWN = 50
const MOST_ASKED = 1_000
/** Names that calls had in this time are offered. */
const LOOKED_BACK_MS = 30 * DAY_MS

/** What has the text in its name, its value or what is said about it, such as an e-mail address. */
export function matching(options: readonly Option[], text: string): readonly Option[] {
  const wanted = text.toLowerCase()
  const isWanted = ({ value, title, hint = '' }: Option) => `${title}\n${value}\n${hint}`.toLowerCase().includes(wanted)
  return options.filter(isWanted).slice(0, MOST_SHOWN)
}

/** A list that is asked for once, and searched here. */
function listed(load: () => Promise<readonly Option[]>): () => Find {
  return () => {
    let asked: Promise<readonly Option[]> | undefined
    return async (text) => {
      asked ??= load()
      return matching(await asked, text)
    }
  }
}

export function lookedBackFrom(): string {
  return new Date(Date.now() - LOOKED_BACK_MS).toISOString()
}

/** What calls of the last weeks had, with what they cost first. */
function used(group: string): () => Find {
  return listed(async () => {
    if (!may('usage.read')) return []
    const { items } = await getJson('/admin/usage', { group_by: group, from: lookedBackFrom() })
    return items.filter(({ group: value }) => value !== '' && value !== '(other)').map(usedOption)
  })
}

function usedOption({ group, name }: UsageReport['items'][number]): Option {
  return { value: group, title: name ?? group, ...(name && { hint: group }) }
}

export const findKeys: Find = async (name, signal) => {
  const { items } = await getJson('/admin/keys', { name, limit: MOST_SHOWN }, signal)
  return items.map(({ id, name: title, project }) => ({ value: id, title, hint: project }))
}

export const openProjects = listed(async () => {
  const { items } = await getJson('/admin/projects', { limit: MOST_ASKED })
  return items.map(({ id, name }) => ({ value: id, title: name, hint: id }))
})

export const openPeople = listed(async () => {
  const { items } = await getJson('/admin/users', { limit: MOST_ASKED })
  return items.map(({ id, name, email }) => ({ value: id, title: name, hint: email ?? 'service account' }))
})

/** Tags by `name=value`: those of the newest calls, and all values of a name that is typed. */
function openTags(): Find {
  const recent = listed(async () => {
    const { items } = await getJson('/admin/requests', { from: lookedBackFrom(), limit: MOST_ASKED })
    const pairs = items.flatMap(({ tags }) => Object.entries(tags ?? {}).map(([name, value]) => `${name}=${value}`))
    return [...new Set(pairs)].sort().map((pair) => ({ value: pair, title: pair }))
  })()
  const values = new Map<string, Find>()
  return async (text, signal) => {
    const [name, value] = text.split('=', 2)
    if (!name || value === undefined) return await recent(text, signal)
    if (!values.has(name)) values.set(name, used(`tag:${name}`)())
    const found = await values.get(name)!(value, signal)
    return found.map((one) => ({ value: `${name}=${one.value}`, title: `${name}=${one.value}` }))
  }
}

const PEOPLE: Source = {
  open: () => (may('users.read') ? openPeople() : used('user')()),
  nameOf: async (id) => (may('users.read') ? (await getJson(pathTo('/admin/users/{id}', { id }))).name : undefined),
}

/** Guardrails, and what each of them can have done with a call. */
const GUARDRAILS: Source = {
  open: listed(async () => {
    if (!may('guardrails.read')) return []
    const { items } = await getJson('/admin/guardrails', { limit: MOST_ASKED })
    return items.flatMap((guardrail) => {
      const { id, name } = guardrail
      const did = outcomesOf(guardrail).map((outcome) => `:${outcome}`)
      return ['', ...did].map((end) => ({
        value: `${id}${end}`,
        title: `${name ?? id}${end.replaceAll('_', ' ').replace(':', ': ')}`,
        hint: end === '' ? 'did anything' : id,
      }))
    })
  }),
  nameOf: async (value) => {
    const [id = '', outcome] = value.split(':', 2)
    if (!may('guardrails.read')) return undefined
    const { name } = await getJson(pathTo('/admin/guardrails/{guardrail_id}', { guardrail_id: id }))
    return `${name ?? id}${outcome === undefined ? '' : `: ${outcome.replaceAll('_', ' ')}`}`
  },
}

function outcomesOf({ action, mode }: Pick<GuardrailBody, 'action' | 'mode'>): readonly GuardrailOutcome[] {
  if (action === 'flag') return ['flagged', 'unscanned', 'passed']
  const would: readonly GuardrailOutcome[] = action === 'block' ? ['would_block'] : ['would_redact', 'would_block']
  const did: readonly GuardrailOutcome[] = action === 'block' ? ['blocked'] : ['redacted', 'blocked']
  return [...(mode === 'shadow' ? would : did), 'unscanned', 'passed']
}

export const SOURCES = {
  key: {
    open: () => (may('keys.read') ? findKeys : used('key')()),
    nameOf: async (id) => (may('keys.read') ? (await getJson(pathTo('/admin/keys/{id}', { id }))).name : undefined),
  },
  project: {
    open: () => (may('projects.read') ? openProjects() : used('project')()),
    nameOf: async (project) =>
      may('projects.read') ? (await getJson(pathTo('/admin/projects/{project}', { project }))).name : undefined,
  },
  user: PEOPLE,
  /** People and programs, as the audit log calls them. */
  actor: {
    open: listed(async () => {
      const programs = ['admin_key', 'cli'].map((value) => ({ value, title: value }))
      if (!may('users.read')) return programs
      const { items } = await getJson('/admin/users', { limit: MOST_ASKED })
      const people = items.map(({ id, kind, name }) => ({ value: `${actorKind(kind)}:${id}`, title: name, hint: kind }))
      return [...people, ...programs]
    }),
    nameOf: async (actor) => {
      const [kind, id] = actor.split(':', 2)
      return kind && id && PEOPLE.nameOf ? await PEOPLE.nameOf(id) : undefined
    },
  },
  guardrail: GUARDRAILS,
  tag: { open: openTags },
  model: { open: used('model') },
  requested_model: { open: used('requested_model') },
  provider: { open: used('provider') },
  endpoint: { open: used('endpoint') },
  owner: { open: used('owner') },
  end_user: { open: used('end_user') },
  session: { open: used('session') },
  client: { open: used('client') },
  agent: { open: used('agent') },
  organization: { open: used('organization') },
  /** Also those that no call has had. */
  any_provider: {
    open: listed(async () =>
      (await getJson('/admin/providers')).items.map(({ id, name }) => ({ value: id, title: name, hint: id })),
    ),
  },
} satisfies Record<string, Source>

export type SourceName = keyof typeof SOURCES

function actorKind(kind: string): string {
  return kind === 'service' ? 'service' : 'user'
}
