import { didYouMean } from '../../base/schema/nearest-name.ts'
import type { TenantServices } from '../tenant-services.ts'
import type { Author } from '../audit/author.ts'
import { changedFields } from '../audit/changes.ts'
import { audited } from '../audit/audited.ts'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/config/config-error.ts'
import { parseCredentials } from '../../platform/config/credentials/parse-credentials.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type {
  ChangeCredentialRequest,
  CreateCredentialRequest,
  NamedCredential,
} from '../../contract/admin/credentials.ts'
import { type Problem, problem } from '../../contract/problems.ts'
import {
  type CredentialRow,
  deleteCredential,
  insertCredential,
  listCredentials,
  MAX_CREDENTIALS,
  secretNameOf,
  updateCredential,
} from '../../platform/store/installation/credentials.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import { describeCredentials } from './list-credentials.ts'

// Credentials that operators manage while the gateway runs. Every change applies here at once and in every other process
// within seconds.

type Services = Pick<TenantServices, 'db' | 'newId' | 'config' | 'aliases' | 'secrets' | 'refreshStored'> & {
  /** Changes are in the audit log. */
  author: Author
}

export async function createCredential(
  { provider: id, name, secret, weight }: CreateCredentialRequest,
  services: Services,
): Promise<NamedCredential> {
  const provider = providerOf(id, services)
  checkSecret(provider, secret, services)
  refuseTaken(provider, name)
  const row = { id: services.newId(), provider: provider.id, name, weight: weight ?? 1 }
  const sealed = secretsOf(services).sealed(secretNameOf(row.id), secret)
  const after = { provider: row.provider, name, weight: row.weight, secret: 'set' }
  const event = { action: 'credential.create', object: `credential:${row.id}`, after }
  if (!(await insertCredential(audited(services.db, services.author, event), row, sealed)))
    throw await notInserted(provider, name, services)
  return await applied(row.id, services)
}

export async function changeCredential(
  id: string,
  change: ChangeCredentialRequest,
  services: Services,
): Promise<NamedCredential> {
  const row = await rowOf(id, services)
  const provider = providerOf(row.provider, services)
  if (change.secret !== undefined) checkSecret(provider, change.secret, services)
  if (change.name !== undefined && change.name !== row.name) {
    refuseBound(row, services)
    refuseTaken(provider, change.name)
  }
  const secret = change.secret === undefined ? undefined : secretsOf(services).sealed(secretNameOf(id), change.secret)
  const { name = row.name, weight = row.weight } = change
  const changes = changedFields({ ...row }, { name, weight, ...(secret && { secret: 'changed' }) })
  const event = { action: 'credential.update', object: `credential:${id}`, ...changes }
  if (!(await updateCredential(audited(services.db, services.author, event), id, { name, weight, secret })))
    throw await notChanged(id, provider, name, services)
  return await applied(id, services)
}

export async function removeCredential(id: string, services: Services): Promise<void> {
  const row = await rowOf(id, services)
  refuseBound(row, services)
  const before = { provider: row.provider, name: row.name, weight: row.weight }
  const event = { action: 'credential.delete', object: `credential:${id}`, before }
  if (!(await deleteCredential(audited(services.db, services.author, event), id))) throw unknownCredential()
  await refreshed(services)
}

/**
 * The change is in the store. If it cannot be applied now, because a file with another credential cannot be read, the answer
 * says that the credential is not active, and the log says why.
 */
async function refreshed(services: Services): Promise<Config> {
  try {
    return await services.refreshStored()
  } catch (error) {
    if (error instanceof ConfigError) return services.config
    throw error
  }
}

/** The credential as it is after the change. */
async function applied(id: string, services: Services): Promise<NamedCredential> {
  const config = await refreshed(services)
  const found = (await describeCredentials({ ...services, config })).find((one) => one.id === id)
  if (!found) throw unknownCredential()
  return found
}

async function rowOf(id: string, { db }: Services): Promise<CredentialRow> {
  const found = (await listCredentials(db)).find((row) => row.id === id)
  if (!found) throw unknownCredential()
  return found
}

function secretsOf({ secrets }: Services) {
  const opened = secrets.current
  if (!opened) throw new StoreUnavailable('The database was not reachable since the start of this process.')
  return opened
}

function providerOf(id: string, { config: { providers } }: Services): Provider {
  const provider = Object.hasOwn(providers, id) ? providers[id]! : undefined
  const meant = provider ? '' : didYouMean(id, Object.keys(providers))
  if (!provider) throw invalid('provider', `There is no provider '${id}'${meant && `.${meant}`}`)
  if (provider.auth.scheme === 'none') throw invalid('provider', `${provider.name} needs no credential`)
  return provider
}

/** The text has to be one credential of the kind that the provider needs. The message shows nothing of it. */
function checkSecret({ auth, name }: Provider, secret: string, { config: { source } }: Services): void {
  try {
    const parsed = parseCredentials(auth, secret, { label: 'secret', environment: source.environment })
    if (parsed.length !== 1) throw new ConfigError(`should be one credential of ${name}`)
  } catch (error) {
    if (error instanceof ConfigError) throw invalid('secret', error.message.replace(/^secret: /, ''))
    throw error
  }
}

/** An alias that is bound to a name would fail without it, and a config file with such an alias would not be valid any more. */
function refuseBound({ provider, name }: CredentialRow, { aliases, config }: Services): void {
  const bound = aliases.list().find(({ alias }) => {
    return alias.targets.some(({ model, credential }) => {
      return credential === name && providerNamed(model.split('/')[0]!, config.providers)?.id === provider
    })
  })
  if (!bound) return
  throw problem('conflict', {
    message: `The alias '${bound.name}' is bound to this credential. Change the alias first.`,
  })
}

/** Credentials of the config file and the environment cannot be replaced here. */
function refuseTaken(provider: Provider, name: string): void {
  if (provider.credentials.some((one) => one.name === name)) throw nameTaken(provider, name)
}

async function notChanged(id: string, provider: Provider, name: string, { db }: Services): Promise<Problem> {
  const rows = await listCredentials(db)
  if (!rows.some((row) => row.id === id)) return unknownCredential()
  const isTaken = rows.some((row) => row.id !== id && row.provider === provider.id && row.name === name)
  return isTaken ? nameTaken(provider, name) : otherKey()
}

async function notInserted(provider: Provider, name: string, { db }: Services): Promise<Problem> {
  const rows = await listCredentials(db)
  if (rows.length >= MAX_CREDENTIALS) {
    return problem('conflict', {
      message: `There are ${MAX_CREDENTIALS} stored credentials already, which is the maximum. Delete a credential that is no longer needed.`,
    })
  }
  const isTaken = rows.some((row) => row.provider === provider.id && row.name === name)
  return isTaken ? nameTaken(provider, name) : otherKey()
}

/** A change of the encryption key is under way, and this process has the old one. */
function otherKey(): Problem {
  return problem('conflict', { message: 'Another encryption key is in use now. Restart this process with that key.' })
}

function nameTaken(provider: Provider, name: string): Problem {
  return problem('conflict', {
    message: `${provider.name} already has a credential named '${name}'. Choose another name.`,
    param: 'name',
  })
}

function unknownCredential(): Problem {
  return problem('not_found', { message: 'There is no such credential. Only stored credentials can be changed here.' })
}

function invalid(field: string, msg: string): Problem {
  const detail = [{ loc: ['body', field], msg: `Value error, ${msg}`, type: 'value_error' }]
  return problem('validation_error', { message: msg, param: field, detail })
}
