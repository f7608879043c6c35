import { issueKey, revokeIssued } from '../../tenants/access/keys.ts'
import type { CreateKeyRequest } from '../../contract/admin/keys.ts'
import { findKey } from '../../platform/store/keys/keys.ts'
import { servicesAt, type Demo } from './demo.ts'
import { DAY_MS, HOUR_MS } from '../../base/units/units.ts'

/** `endsInDays` after the end of the demo. */
type DemoKey = Omit<CreateKeyRequest, 'user'> & { name: string; project: string; email?: string; endsInDays?: number }

const KEYS: readonly DemoKey[] = [
  { name: 'support bot', project: 'support', scopes: ['chat', 'models', 'tokens'] },
  { name: 'support bot (staging)', project: 'support', kind: 'sandbox' },
  {
    name: 'search backend',
    project: 'search',
    scopes: ['chat', 'models', 'model:google/*', 'model:openai/*', 'model:groq/*'],
  },
  { name: 'search evaluation', project: 'search', email: 'farah@demo.example' },
  { name: 'notebooks of Emil', project: 'research', email: 'emil@demo.example' },
  { name: 'agents', project: 'research', email: 'deniz@demo.example', scopes: ['chat', 'model:anthropic/*'] },
  { name: 'campaign texts', project: 'marketing', endsInDays: 6 },
  { name: 'contract review', project: 'legal', region: 'eu', scopes: ['chat', 'universal', 'files'] },
  { name: 'scanned invoices', project: 'legal', scopes: ['universal', 'files'], allowed_ips: ['192.0.2.0/24'] },
  { name: 'old integration', project: 'marketing' },
]

export async function addKeys(demo: Demo): Promise<number> {
  for (const [index, { email, endsInDays, ...key }] of KEYS.entries()) {
    const at = demo.from + 5 * HOUR_MS + index * 1_200_000
    const user = email === undefined ? undefined : demo.people.get(email)!.id
    const services = { ...servicesAt(demo, at), config: demo.config }
    const end = endsInDays && { expires_at: new Date(demo.to + endsInDays * DAY_MS).toISOString() }
    const { id } = await issueKey({ ...key, ...(user && { user }), ...end }, services)
    demo.keys.set(key.name, (await findKey(demo.db, id))!)
  }
  return KEYS.length
}

/** A revoked key keeps its name in reports. */
export async function revokeOld(demo: Demo): Promise<void> {
  const at = demo.to - 9 * DAY_MS
  if (at > demo.from + DAY_MS) await revokeIssued(demo.keys.get('old integration')!.id, servicesAt(demo, at))
}
