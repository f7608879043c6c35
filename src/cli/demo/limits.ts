import type { LimitKind } from '../../platform/config/spend-limits/limit.ts'
import type { CreateLimitRequest } from '../../contract/admin/limits.ts'
import { createLimit } from '../../money/limits/manage-limits.ts'
import { servicesAt, type Demo } from './demo.ts'
import { HOUR_MS } from '../../base/units/units.ts'

type DemoLimit = [kind: LimitKind, request: CreateLimitRequest]

/** Amounts that the calls of a month come near to, so that some bars are full and others are not. */
const LIMITS: readonly DemoLimit[] = [
  ['budget', { id: 'company', applies_to: 'all', limit: 80, window: 'month', alerts: [0.5, 0.8, 1] }],
  ['budget', { id: 'support', applies_to: 'project:support', limit: 12, window: 'month', timezone: 'Europe/Paris' }],
  ['budget', { id: 'research', applies_to: 'project:research', limit: 30, window: 'month' }],
  ['budget', { id: 'research-each', applies_to: 'project:research', per: 'user', limit: 3, window: 'day' }],
  ['budget', { id: 'marketing', applies_to: 'project:marketing', limit: 1.5, window: 'week', on_exceeded: 'refuse' }],
  ['budget', { id: 'legal', applies_to: 'project:legal', limit: 6, window: 'month', mode: 'shadow' }],
  [
    'rate_limit',
    { id: 'requests-each', applies_to: 'all', per: 'key', unit: 'requests', limit: 120, window: 'minute' },
  ],
  ['rate_limit', { id: 'search-daily', applies_to: 'project:search', unit: 'requests', limit: 220, window: 'day' }],
  [
    'rate_limit',
    { id: 'agents-at-once', applies_to: 'project:research', unit: 'concurrent', limit: 8 } as CreateLimitRequest,
  ],
]

export async function addLimits(demo: Demo): Promise<number> {
  for (const [index, [kind, request]] of LIMITS.entries()) {
    const services = servicesAt(demo, demo.from + 12 * HOUR_MS + index * 180_000)
    await createLimit(kind, request, { ...services, config: demo.config, refreshLimits: async () => undefined })
  }
  return LIMITS.length
}
