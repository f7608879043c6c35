import type { ENDPOINT_SCOPES } from '../../../src/contract/admin/policy.ts'
import type { CreateKeyRequest } from '../../../src/contract/admin/keys.ts'
import { wordsIn } from '../../parts/fields.tsx'
import { DAY_MS } from '../../../src/base/units/units.ts'

export type Endpoint = (typeof ENDPOINT_SCOPES)[number]

/** What the person has chosen so far. Nothing chosen means no restriction. */
export type KeyDraft = {
  name: string
  project: string
  kind: 'live' | 'sandbox'
  region: '' | 'global' | 'eu' | 'us'
  days: number
  endpoints: readonly Endpoint[]
  models: string
  ips: string
}

export type FieldsProps = { draft: KeyDraft; set: (changes: Partial<KeyDraft>) => void }

export const EMPTY_KEY: KeyDraft = {
  ...{ name: '', project: '', kind: 'live', region: '', days: 0, endpoints: [], models: '', ips: '' },
}

export const ENDPOINTS: Record<Endpoint, string> = {
  chat: 'Chat',
  models: 'Lists of models',
  images: 'Images',
  universal: 'Tasks',
  tokens: 'Token counts',
  files: 'Files',
}

/** As the API wants it: what does not restrict is left out. */
export function requestOf(draft: KeyDraft): CreateKeyRequest {
  const { name, kind, project, region, days } = draft
  const [scopes, ips] = [scopesOf(draft), wordsIn(draft.ips)]
  return {
    ...{ name, kind },
    ...(project && { project }),
    ...(region && { region }),
    ...(scopes.length > 0 && { scopes }),
    ...(ips.length > 0 && { allowed_ips: ips }),
    ...(days > 0 && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
  }
}

function scopesOf({ endpoints, models }: KeyDraft): string[] {
  return [...endpoints, ...wordsIn(models).map((pattern) => `model:${pattern}`)]
}
