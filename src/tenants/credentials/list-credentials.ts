import type { TenantServices } from '../tenant-services.ts'
import { type Credential, endOf } from '../../platform/config/credentials/credential.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { CredentialList, NamedCredential } from '../../contract/admin/credentials.ts'
import { problem } from '../../contract/problems.ts'
import { type CredentialRow, listCredentials } from '../../platform/store/installation/credentials.ts'

type Services = Pick<TenantServices, 'db' | 'config'>
type Page = { limit: number; cursor?: string | undefined; provider?: string | undefined }

/** The credentials of all providers, wherever they come from, sorted by provider and name. */
export async function listNamedCredentials(
  { limit, cursor, provider }: Page,
  services: Services,
): Promise<CredentialList> {
  const all = (await describeCredentials(services)).filter((one) => provider === undefined || one.provider === provider)
  const after = cursor === undefined ? '' : readCursor(cursor)
  const rest = all.filter((one) => placeOf(one) > after)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  const next_cursor = last && rest.length > limit ? Buffer.from(placeOf(last)).toString('base64url') : null
  return { items, next_cursor }
}

export async function describeCredentials({ db, config }: Services): Promise<NamedCredential[]> {
  const stored = (await listCredentials(db)).map((row) => describeStored(row, config.providers))
  const others = Object.values(config.providers).flatMap(describeConfigured)
  return [...stored, ...others].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
}

function describeStored({ id, provider, name, weight, createdAt, updatedAt }: CredentialRow, providers: Providers) {
  const configured = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  const used = configured?.credentials.find(({ from }) => from?.kind === 'store' && from.id === id)
  return {
    id,
    provider,
    name,
    weight,
    owned_by: 'api' as const,
    source: null,
    ends_with: used ? endOf(used) : null,
    active: used !== undefined,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}

type Providers = Readonly<Record<string, Provider>>

/** Several keys in one variable or file are several credentials of one name. They are told apart by their ends. */
function describeConfigured({ id: provider, credentials }: Provider): NamedCredential[] {
  return credentials.flatMap((credential) => {
    const { name = '', weight, from } = credential
    if (!from || from.kind === 'store') return []
    return [
      {
        id: null,
        provider,
        name,
        weight,
        owned_by: from.kind,
        source: sourceOf(credential),
        ends_with: endOf(credential),
        active: true,
        created_at: null,
        updated_at: null,
      },
    ]
  })
}

function sourceOf({ from }: Credential): string | null {
  if (from?.kind === 'environment') return from.variable
  return from?.kind === 'file' ? from.path : null
}

/** Unique for every credential that is listed, except for several keys of one variable that end alike. */
function placeOf({ provider, name, id, ends_with }: NamedCredential): string {
  return JSON.stringify([provider, name, id ?? '', ends_with ?? ''])
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (text.startsWith('["')) return text
  const msg = 'Value error, this cursor does not belong to this list'
  throw problem('validation_error', {
    param: 'cursor',
    detail: [{ loc: ['query', 'cursor'], msg, type: 'value_error' }],
  })
}
