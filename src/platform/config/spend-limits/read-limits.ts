import Type from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import { checkSection } from '../section.ts'
import type { Limit, LimitKind } from './limit.ts'
import { LimitEntry, limitOf } from './limit-entry.ts'

const MAX_LIMITS = 1_000
const Settings = Type.Array(LimitEntry, { maxItems: MAX_LIMITS })
const SECTIONS = { budgets: 'budget', rateLimits: 'rate_limit' } as const satisfies Record<string, LimitKind>

/** What the config file says about budgets and rate limits. The store may have more. */
export type LimitSections = { spendLimits: readonly Limit[] }

export function readLimitSections(sections: Sections): LimitSections {
  return { spendLimits: readLimits(sections) }
}

type Sections = { budgets: unknown; rateLimits: unknown }

/** Reads `budgets` and `rateLimits` of the config file. Every fault is reported with its path. */
export function readLimits(sections: Sections): readonly Limit[] {
  const limits = Object.entries(SECTIONS).flatMap(([name, kind]) => read(name, kind, sections[name as 'budgets']))
  const ids = limits.map(({ id }) => id)
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  if (repeated !== undefined) throw new ConfigError(`budgets: two limits have the id '${repeated}'`)
  return limits
}

function read(name: string, kind: LimitKind, value: unknown): Limit[] {
  if (value === undefined) return []
  checkSection(name, Settings, value)
  return (value as LimitEntry[]).map((entry, index) => {
    const read = limitOf(entry, kind, 'file')
    if (!Array.isArray(read)) return read
    throw new ConfigError(read.map(({ member, msg }) => `${name}.${index}.${member}: ${msg}`).join('; '))
  })
}
