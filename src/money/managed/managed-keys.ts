import type { CreatedKey } from '../../contract/admin/keys.ts'
import type {
  ChangeManagedKeyRequest,
  CreatedManagedKey,
  CreateManagedKeyRequest,
  ManagedKey,
  RotatedManagedKey,
} from '../../contract/manage/keys.ts'
import type { Numbered, NumberedPage } from '../../contract/manage/paging.ts'
import { Problem, problem } from '../../contract/problems.ts'
import type { Catalog } from '../../platform/catalog/catalog.ts'
import type { Region } from '../../platform/providers/provider.ts'
import { DAY_MS } from '../../base/units/units.ts'
import { listClientKeys, nameIsFree } from '../../platform/store/keys/client-keys.ts'
import type { StoredKey } from '../../platform/store/keys/keys.ts'
import { membershipsOf } from '../../platform/store/people/members.ts'
import { emailsOf } from '../../platform/store/people/persons.ts'
import { DEFAULT_ORGANIZATION } from '../../platform/store/people/reach.ts'
import { findUserByEmail } from '../../platform/store/people/users.ts'
import { listProjects, PERSONAL } from '../../platform/store/projects/projects.ts'
import type { KeyCache } from '../../tenants/access/key-cache.ts'
import { revokeIssued } from '../../tenants/access/keys.ts'
import {
  demandUpdate,
  issueKeyAs,
  onlyProject,
  revokeKeyAs,
  rotateKeyAs,
  updateKeyAs,
  visibleKey,
} from '../../tenants/access/manage-keys.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { invalid, isoOf, plainEmail } from '../../tenants/people/people-services.ts'
import type { Ledger } from '../billing/ledger.ts'
import type { LimitServices } from '../limits/manage-limits.ts'
import { type Balance, balancesOf, changeBalance, checkWish } from './balances.ts'

// Client keys in the words of /v3/manage, by the use cases of keys and of limits: a key, and the budget that its balance is.

export type ManagedServices = LimitServices & {
  newId(): string
  catalog: Catalog
  config: { region: Region; manage: { timezone: string } }
  keyCache: Pick<KeyCache, 'apply'>
  ledger: Pick<Ledger, 'flush'>
  /** The organization of the management key. */
  organization: string
}

const FORBIDDEN = 403
const TYPES = { live: 'api_token', sandbox: 'sandbox_api_token' } as const
const KINDS = { api_token: 'live', sandbox_api_token: 'sandbox' } as const

export async function createManagedKey(
  request: CreateManagedKeyRequest,
  services: ManagedServices,
): Promise<CreatedManagedKey> {
  const { name, token_type, member, expire_time } = request
  checkWish(request)
  checkExpiry(expire_time, services)
  const project = request.project ?? (await ownProject(services))
  const user = member == null ? null : await demandMember(member, services)
  const demands = [nameIsFree({ project, name })]
  const created = await issueKeyAs(
    { name, kind: KINDS[token_type ?? 'api_token'], project, user, expires_at: expire_time },
    { ...services, demands },
  ).catch(async (error) => {
    // Which names there are is not for those who may not make a key there.
    if (!(error instanceof Problem) || error.status !== FORBIDDEN) await demandName({ project, name }, services)
    throw error
  })
  await withBalance(created, request, services)
  return { ...(await showManagedKey(created.id, services)), secret: created.key }
}

/** The secret is not shown yet, so a key that gets no balance is of no use. */
async function withBalance({ id }: CreatedKey, request: CreateManagedKeyRequest, services: ManagedServices) {
  try {
    await changeBalance(id, request, services)
  } catch (error) {
    await revokeIssued(id, services)
    throw error
  }
}

export async function listManagedKeys(page: NumberedPage, services: ManagedServices): Promise<Numbered<ManagedKey>> {
  const { keys, total } = await listClientKeys(services.db, {
    ...page,
    reach: await reachIn(services.actor, 'keys.read', services.db),
  })
  return { results: await shown(keys, services), total_count: total }
}

export async function showManagedKey(id: string, services: ManagedServices): Promise<ManagedKey> {
  return (await shown([await clientKey(id, services)], services))[0]!
}

export async function changeManagedKey(
  id: string,
  request: ChangeManagedKeyRequest,
  services: ManagedServices,
): Promise<ManagedKey> {
  const key = await clientKey(id, services)
  if (key.revokedAt !== null) throw problem('conflict', { message: 'This key is revoked. Create a new one.' })
  const { name, expire_time } = request
  // What was spent before this request counts before it.
  await services.ledger.flush()
  checkWish(request, (await balancesOf([id], services)).get(id))
  checkExpiry(expire_time, services)
  if (name !== undefined) await demandName({ project: key.project, name, except: id }, services)
  const changes = { ...(name !== undefined && { name }), ...(expire_time !== undefined && { expires_at: expire_time }) }
  await demandUpdate(id, changes, services)
  // They are two transactions. What may still refuse the request comes first.
  await changeBalance(id, request, services)
  if (Object.keys(changes).length > 0) await updateKeyAs(id, changes, services)
  return await showManagedKey(id, services)
}

/** A revoked key is never given a secret again. */
export async function rotateManagedKey(id: string, services: ManagedServices): Promise<RotatedManagedKey> {
  const before = await clientKey(id, services)
  if (before.revokedAt !== null) throw noSuchKey()
  const { key, name } = await rotateKeyAs(id, {}, services)
  return { secret: key, masked: masked(before, key.slice(-4)), name }
}

export async function revokeManagedKey(id: string, services: ManagedServices): Promise<ManagedKey> {
  await clientKey(id, services)
  await revokeKeyAs(id, services)
  return await showManagedKey(id, services)
}

/** A key of a client that the asker may see. Any other answers as one that does not exist. */
export async function clientKey(id: string, services: Pick<ManagedServices, 'db' | 'actor'>): Promise<StoredKey> {
  const key = await visibleKey(id, services)
  if (key.kind !== 'live' && key.kind !== 'sandbox') throw noSuchKey()
  return key
}

function noSuchKey() {
  return problem('not_found', { message: 'There is no such key.' })
}

/** Where a key belongs whose request names no project. */
async function ownProject({ actor, organization, db }: ManagedServices): Promise<string> {
  const only = onlyProject(actor)
  if (only !== undefined) return only
  if (organization === DEFAULT_ORGANIZATION) return PERSONAL
  const { items } = await listProjects(db, { limit: 2, organization })
  if (items.length === 1) return items[0]!.id
  throw invalid('project', 'Name the project: the organization has several, or none')
}

/** The id of the user with this address, if it is a member of the organization. */
export async function memberWith(
  email: string,
  { db, organization }: Pick<ManagedServices, 'db' | 'organization'>,
): Promise<string | undefined> {
  const user = await findUserByEmail(db, plainEmail(email))
  const memberships = user ? await membershipsOf(db, user.id) : []
  return memberships.some((one) => one.organization === organization) ? user!.id : undefined
}

async function demandMember(email: string, services: ManagedServices): Promise<string> {
  const found = await memberWith(email, services)
  if (found === undefined) throw invalid('member', 'This is not the address of a member of the organization')
  return found
}

async function demandName(name: Parameters<typeof nameIsFree>[0], { db }: ManagedServices): Promise<void> {
  const { sql, values } = nameIsFree(name)
  if ((await db.query(sql, values)).length > 0) return
  throw problem('conflict', { message: 'Another active key of the project has this name.' })
}

function checkExpiry(time: string | null | undefined, { now }: ManagedServices): void {
  if (time != null && Date.parse(time) < now() + DAY_MS)
    throw invalid('expire_time', 'Input should be at least one day from now')
}

async function shown(keys: readonly StoredKey[], services: ManagedServices): Promise<ManagedKey[]> {
  await services.ledger.flush()
  const balances = await balancesOf(
    keys.map(({ id }) => id),
    services,
  )
  const emails = await emailsOf(services.db, [...new Set(keys.flatMap(({ user }) => user ?? []))])
  return keys.map((key) => bodyOf(key, balances.get(key.id), emails))
}

function bodyOf(key: StoredKey, balance: Balance | undefined, emails: ReadonlyMap<string, string>): ManagedKey {
  return {
    id: key.id,
    name: key.name,
    token_type: TYPES[key.kind as keyof typeof TYPES],
    member: (key.user !== null && emails.get(key.user)) || null,
    project: key.project,
    masked: masked(key, key.last4),
    active_balance: balance?.isEnforced ?? true,
    balance: balance?.left ?? null,
    balance_reset_period: balance?.period ?? 'none',
    balance_reset_amount: balance && balance.period !== 'none' ? balance.amount : null,
    expire_time: isoOf(key.expiresAt),
    revoked: key.revokedAt !== null,
    revoked_at: isoOf(key.revokedAt),
  }
}

function masked({ kind }: StoredKey, last4: string): string {
  return `gate_${kind}_…${last4}`
}
