import type { ChangeLimitRequest, CreateLimitRequest, LimitBody } from '../../../src/contract/admin/limits.ts'
import { wordsIn } from '../../parts/fields.tsx'
import { type HolderKind, splitHolder } from '../../parts/holder-name.ts'
import { BUDGET, type LimitKind } from './kinds.ts'

/** What the person has typed so far. An empty text stands for what is absent. */
export type LimitDraft = {
  id: string
  name: string
  holder: HolderKind
  holderId: string
  per: '' | 'key' | 'user' | 'end_user' | 'session'
  maxSessions: string
  unit: LimitBody['unit']
  limit: string
  window: LimitBody['window']
  timezone: string
  mode: 'enforce' | 'shadow'
  onExceeded: '' | 'clamp' | 'refuse'
  models: string
  providers: string
  endpoints: string
  tags: string
  alerts: string
}

export type FieldsProps = { draft: LimitDraft; set: (changes: Partial<LimitDraft>) => void }

export function emptyDraft(kind: LimitKind, holder: HolderKind): LimitDraft {
  const isBudget = kind === BUDGET
  return {
    id: '',
    name: '',
    holder,
    holderId: '',
    per: '',
    maxSessions: '',
    limit: '',
    mode: 'enforce',
    onExceeded: '',
    unit: isBudget ? 'usd' : 'requests',
    window: isBudget ? 'month' : 'minute',
    timezone: isBudget ? Intl.DateTimeFormat().resolvedOptions().timeZone : '',
    models: '',
    providers: '',
    endpoints: '',
    tags: '',
    alerts: isBudget ? '80, 100' : '',
  }
}

export function draftOf(limit: LimitBody): LimitDraft {
  const { id, name, applies_to: who, per, unit, window, timezone, mode, on_exceeded: onExceeded } = limit
  const { kind: holder, id: holderId } = splitHolder(who)
  const pairs = Object.entries(limit.tags ?? {}).map(([name, value]) => `${name}=${value}`)
  const list = (values: readonly unknown[] | null | undefined) => (values ?? []).join(', ')
  return {
    id,
    name: name ?? '',
    holder,
    holderId,
    per: per ?? '',
    unit,
    limit: String(limit.limit),
    window,
    timezone: timezone ?? '',
    mode: mode ?? 'enforce',
    onExceeded: onExceeded ?? '',
    tags: list(pairs),
    models: list(limit.models),
    providers: list(limit.providers),
    endpoints: list(limit.endpoints),
    maxSessions: limit.max_sessions ? String(limit.max_sessions) : '',
    alerts: list(limit.alerts?.map((part) => Math.round(part * 1000) / 10)),
  }
}

/** All members that the form has; null where there is nothing. */
export function changesOf(draft: LimitDraft, kind: LimitKind): ChangeLimitRequest {
  const isCount = draft.unit === 'requests' || draft.unit === 'concurrent'
  const alerts = wordsIn(draft.alerts).map((text) => Number(text.replace('%', '')) / 100)
  return {
    applies_to: draft.holder === 'all' ? 'all' : `${draft.holder}:${draft.holderId.trim()}`,
    limit: Number(draft.limit),
    ...(kind !== BUDGET && { unit: draft.unit as NonNullable<ChangeLimitRequest['unit']> }),
    ...(draft.unit !== 'concurrent' && { window: draft.window }),
    name: draft.name.trim() || null,
    per: draft.per || null,
    timezone: draft.timezone || null,
    mode: draft.mode,
    on_exceeded: isCount ? null : draft.onExceeded || null,
    models: listOf(draft.models),
    providers: listOf(draft.providers),
    endpoints: listOf(draft.endpoints),
    tags: tagsOf(draft.tags),
    max_sessions: draft.per === 'session' && draft.maxSessions ? Number(draft.maxSessions) : null,
    alerts: alerts.length > 0 && draft.per !== 'session' ? alerts : null,
  }
}

/** The same without what is absent. */
export function requestOf(draft: LimitDraft, kind: LimitKind): CreateLimitRequest {
  const members = Object.entries(changesOf(draft, kind)).filter(([, value]) => value !== null)
  return { ...(draft.id && { id: draft.id.trim() }), ...Object.fromEntries(members) } as CreateLimitRequest
}

function listOf(text: string): string[] | null {
  const words = wordsIn(text)
  return words.length > 0 ? words : null
}

function tagsOf(text: string): Record<string, string> | null {
  const pairs = wordsIn(text).map((word) => word.split(/=(.*)/s))
  return pairs.length > 0 ? Object.fromEntries(pairs.map(([name, value]) => [name, value ?? ''])) : null
}
