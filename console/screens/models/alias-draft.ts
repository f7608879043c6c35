import type { AliasBody, ChangeAliasRequest, CreateAliasRequest } from '../../../src/contract/admin/aliases.ts'
import { wordsIn } from '../../parts/fields.tsx'

type Target = AliasBody['targets'][number]

/** What the person has typed so far. A target keeps members that are not in the form. */
export type AliasDraft = {
  name: string
  targets: readonly Target[]
  fallbacks: string
  retries: string
  totalSeconds: string
  hidden: 'true' | 'false'
  defaults: string
}

export type FieldsProps = { draft: AliasDraft; set: (changes: Partial<AliasDraft>) => void; isFixed: boolean }

export const EMPTY_ALIAS: AliasDraft = {
  name: '',
  targets: [{ model: '' }],
  fallbacks: '',
  retries: '',
  totalSeconds: '',
  hidden: 'false',
  defaults: '',
}

export function draftOf({ name, targets, fallbacks, retries, timeouts, hidden, defaults }: AliasBody): AliasDraft {
  const totalMs = timeouts?.total_ms
  return {
    name,
    targets,
    fallbacks: fallbacks?.join(' ') ?? '',
    retries: retries?.toString() ?? '',
    totalSeconds: totalMs ? String(totalMs / 1000) : '',
    hidden: hidden ? 'true' : 'false',
    defaults: defaults ? JSON.stringify(defaults) : '',
  }
}

/** Null where there is nothing. Throws if the defaults are no JSON. */
export function changesOf(draft: AliasDraft, before?: AliasBody): ChangeAliasRequest {
  const { total_ms: _total, ...otherTimes } = before?.timeouts ?? {}
  const timeouts = {
    ...otherTimes,
    ...(draft.totalSeconds && { total_ms: Math.round(Number(draft.totalSeconds) * 1000) }),
  }
  const fallbacks = wordsIn(draft.fallbacks)
  return {
    targets: draft.targets.map(withoutEmpty),
    fallbacks: fallbacks.length > 0 ? fallbacks : null,
    retries: draft.retries === '' ? null : Number(draft.retries),
    timeouts: Object.keys(timeouts).length > 0 ? timeouts : null,
    hidden: draft.hidden === 'true' ? true : null,
    defaults: defaultsOf(draft.defaults),
  }
}

export function requestOf(draft: AliasDraft): CreateAliasRequest {
  const members = Object.entries(changesOf(draft)).filter(([, value]) => value !== null)
  return { name: draft.name.trim(), ...Object.fromEntries(members) } as CreateAliasRequest
}

function withoutEmpty(target: Target): Target {
  const used = Object.entries(target).filter(([, value]) => value !== '' && value !== null && value !== undefined)
  return Object.fromEntries(used) as Target
}

function defaultsOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new Error('The default fields have to be a JSON object, such as {"temperature": 0}.')
  }
}
