import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { GenerateContentRequest } from './wire.ts'

const TIERS: Record<string, GenerateContentRequest['serviceTier']> = {
  flex: 'flex',
  default: 'standard',
  priority: 'priority',
}

/** AI Studio only; `auto` is the default. */
export function toServiceTier(
  { service_tier: tier }: RequestFields,
  notes: Notes,
): Pick<GenerateContentRequest, 'serviceTier'> {
  if (!tier || tier === 'auto') return {}
  if (TIERS[tier]) return { serviceTier: TIERS[tier] }
  notes.dropped('service_tier', `Gemini has no tier "${tier}"`)
  return {}
}

const LABEL_NAME = /^\p{Ll}[\p{Ll}\p{Nd}_-]{0,62}$/u
const LABEL_VALUE = /^[\p{Ll}\p{Nd}_-]{0,63}$/u

/** Vertex only: billing labels, which are more restricted than our metadata. */
export function toLabels({ metadata }: RequestFields, notes: Notes): Pick<GenerateContentRequest, 'labels'> {
  if (!metadata) return {}
  const labels: Record<string, string> = {}
  for (const [name, value] of Object.entries(metadata)) {
    if (LABEL_NAME.test(name) && typeof value === 'string' && LABEL_VALUE.test(value)) labels[name] = value
    else notes.dropped(`metadata.${name}`, 'Vertex accepts short lowercase labels only')
  }
  return Object.keys(labels).length > 0 ? { labels } : {}
}
