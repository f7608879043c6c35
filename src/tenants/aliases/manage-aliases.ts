import type { TenantServices } from '../tenant-services.ts'
import type { Author } from '../audit/author.ts'
import { changedFields } from '../audit/changes.ts'
import { audited } from '../audit/audited.ts'
import { MAX_ALIASES } from '../../platform/config/aliases/alias-limits.ts'
import type { Alias } from '../../platform/config/aliases/alias.ts'
import type { AliasBody, AliasList, ChangeAliasRequest, CreateAliasRequest } from '../../contract/admin/aliases.ts'
import { problem } from '../../contract/problems.ts'
import {
  deleteAlias,
  findStoredAlias,
  insertAlias,
  readStoredAliases,
  replaceAlias,
  type StoredAlias,
} from '../../platform/store/installation/aliases.ts'
import { aliasOfBody, bodyOfAlias } from './alias-body.ts'
import { refuseFaults } from './refuse-faults.ts'

// Aliases of the admin API. They are in the store; every process keeps a copy of all of them in memory.

type Services = Pick<TenantServices, 'db' | 'config' | 'aliases' | 'refreshAliases'>
/** Changes are in the audit log. */
type ChangeServices = Services & { author: Author }

/** Another request may change the alias between our read and our write. */
const MAX_TRIES = 5

export async function listAliases(
  page: { limit: number; cursor?: string | undefined },
  services: Services,
): Promise<AliasList> {
  const stored = await storedByName(services)
  const named = [...stored.keys()].filter((name) => !Object.hasOwn(services.config.aliases, name))
  const names = [...named, ...Object.keys(services.config.aliases)].sort().filter((name) => name > (page.cursor ?? ''))
  const items = names.slice(0, page.limit).map((name) => bodyNamed(name, stored.get(name), services)!)
  return { items, next_cursor: names.length > page.limit ? items.at(-1)!.name : null }
}

export async function findAlias(name: string, services: Services): Promise<AliasBody> {
  const stored = await findStoredAlias(services.db, name)
  const body = bodyNamed(name, stored, services)
  if (!body) throw noSuchAlias()
  return body
}

export async function createAlias({ name, ...body }: CreateAliasRequest, services: ChangeServices): Promise<AliasBody> {
  const alias = aliasOfBody(body)
  refuseFaults(name, alias, services)
  if (isOfFile(name, services)) throw ofFile(name)
  const event = { action: 'alias.create', object: `alias:${name}`, after: masked(alias) }
  const isNew = await insertAlias(
    audited(services.db, services.author, event),
    name,
    JSON.stringify(alias),
    MAX_ALIASES,
  )
  if (!isNew) throw (await findStoredAlias(services.db, name)) ? taken(name) : tooMany()
  await services.refreshAliases()
  return await findAlias(name, services)
}

export async function changeAlias(
  name: string,
  change: ChangeAliasRequest,
  services: ChangeServices,
): Promise<AliasBody> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await storedAlias(name, services)
    const former = JSON.parse(before.settings) as Alias
    const alias = aliasOfBody(change, former)
    refuseFaults(name, alias, services)
    const event = { action: 'alias.update', object: `alias:${name}`, ...changedSettings(former, alias) }
    if (
      !(await replaceAlias(audited(services.db, services.author, event), name, before.settings, JSON.stringify(alias)))
    )
      continue
    await services.refreshAliases()
    return await findAlias(name, services)
  }
  throw problem('conflict', { message: 'Others are changing this alias at the same time. Try again.' })
}

export async function removeAlias(name: string, services: ChangeServices): Promise<void> {
  const { settings } = await storedAlias(name, services)
  const event = { action: 'alias.delete', object: `alias:${name}`, before: masked(JSON.parse(settings)) }
  await deleteAlias(audited(services.db, services.author, event), name)
  await services.refreshAliases()
}

/** Defaults of an alias may have secrets, and so may addresses. */
function masked(alias: Alias): Record<string, unknown> {
  const {
    name: _,
    owned_by: __,
    created_at,
    updated_at,
    ...settings
  } = bodyOfAlias({ name: '', alias, ownedBy: 'file' }, undefined)
  return settings
}

/** What has changed, also if both texts are masked. */
function changedSettings(former: Alias, alias: Alias) {
  const names = new Set(Object.keys(changedFields({ ...former }, { ...masked(former), ...alias }).after))
  const picked = (settings: Record<string, unknown>) => {
    return Object.fromEntries(Object.entries(settings).filter(([name]) => names.has(name)))
  }
  return { before: picked(masked(former)), after: picked(masked(alias)) }
}

async function storedByName({ db }: Services): Promise<Map<string, StoredAlias>> {
  return new Map((await readStoredAliases(db, MAX_ALIASES)).map((alias) => [alias.name, alias]))
}

function bodyNamed(name: string, stored: StoredAlias | undefined, services: Services): AliasBody | undefined {
  const { aliases } = services.config
  if (isOfFile(name, services)) return bodyOfAlias({ name, alias: aliases[name]!, ownedBy: 'file' }, undefined)
  return stored && bodyOfAlias({ name, alias: JSON.parse(stored.settings) as Alias, ownedBy: 'api' }, stored)
}

/** An alias that can be changed here. */
async function storedAlias(name: string, services: Services): Promise<StoredAlias> {
  if (isOfFile(name, services)) throw ofFile(name)
  const stored = await findStoredAlias(services.db, name)
  if (!stored) throw noSuchAlias()
  return stored
}

function isOfFile(name: string, { config }: Services): boolean {
  return Object.hasOwn(config.aliases, name)
}

function ofFile(name: string) {
  const message = `The alias '${name}' is in the config file. Change it there and reload the configuration.`
  return problem('conflict', { message })
}

function taken(name: string) {
  return problem('conflict', { message: `There already is an alias '${name}'. PATCH changes it.` })
}

function tooMany() {
  return problem('conflict', {
    message: `There are ${MAX_ALIASES} aliases already, which is the maximum. Delete an alias that is no longer needed.`,
  })
}

function noSuchAlias() {
  return problem('not_found', { message: 'There is no such alias.' })
}
