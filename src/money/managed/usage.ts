import type { FeatureUsage, KeyUsage, MemberUsage, OrganizationUsage, TokenUsage } from '../../contract/manage/usage.ts'
import { problem } from '../../contract/problems.ts'
import { DAY_MS } from '../../base/units/units.ts'
import { valueError } from '../../base/schema/issue-messages.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import { toDollars } from '../../platform/store/ledger/money.ts'
import { type KeyUse, usageByKey } from '../../platform/store/ledger/usage-by-key.ts'
import { emailsOf } from '../../platform/store/people/persons.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { namesInReport } from '../billing/names-in-reports.ts'
import { offsetAt, startOfDay } from '../limits/windows.ts'
import { featureOf } from './feature-of-use.ts'
import { clientKey, type ManagedServices, memberWith } from './managed-keys.ts'

// Usage in the words of /v3/manage: the lines of the ledger by key, step and kind of call.

type UsageQuery = {
  step?: number | undefined
  begin?: string | undefined
  end?: string | undefined
  feature?: string | undefined
  subfeature?: string | undefined
  provider?: string | undefined
  phase?: string | undefined
  billing?: string | undefined
  token?: string | undefined
  key_id?: string | undefined
  user?: string | undefined
}

/** The name of calls without a key. */
const BASE_TOKEN = 'base_token'
const MAX_DAYS = 366
const DEFAULT_DAYS = 7
/** More would be megabytes of JSON. */
const MAX_ROWS = 50_000

/** The usage of one key that the asker may see. */
export async function usageOfKey(id: string, query: UsageQuery, services: ManagedServices): Promise<KeyUsage> {
  await clientKey(id, services)
  return { usage: await byKey(await usesOf({ ...query, key_id: id }, services), services) }
}

export async function usageOfOrganization(
  { group_by, ...query }: UsageQuery & { group_by?: string | undefined },
  services: ManagedServices,
): Promise<OrganizationUsage> {
  if (query.key_id !== undefined) await clientKey(query.key_id, services)
  const uses = await usesOf(query, services)
  return { usage: group_by === 'user' ? await byUser(uses, services) : await byKey(uses, services) }
}

type Use = KeyUse & { day: string; feature: readonly [feature: string, subfeature: string] }

async function usesOf(query: UsageQuery, services: ManagedServices): Promise<Use[]> {
  const { db, config, ledger } = services
  const steps = stepsOf(query, config.manage.timezone, services.now())
  const filter = await filterOf(query, services)
  if (query.billing === 'eden' || query.phase !== undefined) return []
  await ledger.flush()
  const keyName = query.key_id === undefined && query.token !== BASE_TOKEN ? query.token : undefined
  const uses = await usageByKey(db, { steps, filter, keyName, max: MAX_ROWS })
  if (uses.length > MAX_ROWS) throw tooMany()
  const days = new Map(steps.map(({ from, day }) => [from, day]))
  return uses
    .map((use) => ({ ...use, day: days.get(use.from)!, feature: featureOf(use, services.catalog) }))
    .filter((use) => isOfFeature(use, query))
}

async function filterOf({ provider, key_id, token, user }: UsageQuery, services: ManagedServices): Promise<LineFilter> {
  const reach = await reachIn(services.actor, 'usage.read', services.db)
  const key = key_id ?? (token === BASE_TOKEN ? '' : undefined)
  return {
    ...(reach && { reach }),
    organization: services.organization,
    ...(provider !== undefined && { provider }),
    ...(key !== undefined && { key }),
    ...(user !== undefined && { user: await demandMember(user, services) }),
  }
}

function isOfFeature({ feature: [ofUse, subOfUse] }: Use, { feature, subfeature }: UsageQuery): boolean {
  return (feature === undefined || feature === ofUse) && (subfeature === undefined || subfeature === subOfUse)
}

/** A member of another organization answers as one that does not exist. */
async function demandMember(email: string, services: ManagedServices): Promise<string> {
  const found = await memberWith(email, services)
  if (found === undefined) throw problem('not_found', { message: 'There is no such member of the organization.' })
  return found
}

async function byKey(uses: readonly Use[], { db }: ManagedServices): Promise<TokenUsage[]> {
  const ofKeys = Map.groupBy(uses, ({ key }) => key)
  const nameOf = await namesInReport(db, 'key', [...ofKeys.keys()])
  return [...ofKeys].map(([key, own]) => ({
    token: key === '' ? BASE_TOKEN : (nameOf(key) ?? key),
    data: Object.fromEntries([...Map.groupBy(own, ({ day }) => day)].map(([day, some]) => [day, byFeature(some)])),
  }))
}

function byFeature(uses: readonly Use[]): Record<string, FeatureUsage> {
  const ofFeatures = Map.groupBy(uses, ({ feature }) => feature.join('__'))
  return Object.fromEntries([...ofFeatures].map(([name, own]) => [name, figuresOf(own)]))
}

function figuresOf(uses: readonly KeyUse[]): FeatureUsage {
  const ofProviders = Map.groupBy(uses, ({ provider }) => provider)
  ofProviders.delete('')
  return {
    total_cost: costOf(uses),
    details: uses.reduce((sum, { requests }) => sum + requests, 0),
    unpriced: uses.reduce((sum, { unpriced }) => sum + unpriced, 0),
    cost_per_provider: Object.fromEntries([...ofProviders].map(([provider, own]) => [provider, costOf(own)])),
  }
}

async function byUser(uses: readonly Use[], { db }: ManagedServices): Promise<MemberUsage[]> {
  const ofUsers = Map.groupBy(uses, ({ user }) => user)
  const emails = await emailsOf(db, [...ofUsers.keys()])
  return [...ofUsers].map(([user, own]) => ({
    user: user === '' ? null : (emails.get(user) ?? user),
    total_cost: costOf(own),
  }))
}

function costOf(uses: readonly KeyUse[]): number {
  return toDollars(uses.reduce((sum, { costNanos }) => sum + costNanos, 0n))
}

type Step = { from: number; to: number; day: string }

/** The steps of a report, each with its first day, which may lie before the report begins. */
function stepsOf({ step, begin, end }: UsageQuery, timezone: string, now: number): Step[] {
  if (step === undefined) throw refused('step', 'Field required')
  const [first, last] = daysOf({ begin, end }, timezone, now)
  const steps: Step[] = []
  for (let day = first; day < last; ) {
    const next = Math.min(nextStep(day, step), last)
    const named = new Date(firstOfStep(day, step)).toISOString().slice(0, 'YYYY-MM-DD'.length)
    steps.push({ from: startOfDay(day, timezone), to: startOfDay(next, timezone), day: named })
    day = next
  }
  return steps
}

/** Days are midnights of UTC here. */
function daysOf({ begin, end }: Pick<UsageQuery, 'begin' | 'end'>, timezone: string, now: number): [number, number] {
  if ((begin === undefined) !== (end === undefined))
    throw refused(begin === undefined ? 'begin' : 'end', 'Send begin and end, or neither')
  const today = Math.floor((now + offsetAt(timezone, now)) / DAY_MS) * DAY_MS
  if (begin === undefined || end === undefined) return [today - (DEFAULT_DAYS - 1) * DAY_MS, today + DAY_MS]
  const [first, last] = [readDay('begin', begin), readDay('end', end)]
  if (first >= last) throw refused('end', 'Input should be a day after begin')
  if (last - first > MAX_DAYS * DAY_MS) throw refused('end', `Input should be at most ${MAX_DAYS} days after begin`)
  return [first, last]
}

function readDay(name: string, text: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(text)) return day
  throw refused(name, 'Input should be a day, such as 2026-08-01')
}

function firstOfStep(day: number, step: number): number {
  const at = new Date(day)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  if (step === 2) return day - ((at.getUTCDay() + 6) % 7) * DAY_MS
  if (step === 3) return Date.UTC(year, month, 1)
  return step === 4 ? Date.UTC(year, 0, 1) : day
}

function nextStep(day: number, step: number): number {
  const first = new Date(firstOfStep(day, step))
  const [year, month] = [first.getUTCFullYear(), first.getUTCMonth()]
  if (step === 2) return first.getTime() + 7 * DAY_MS
  if (step === 3) return Date.UTC(year, month + 1, 1)
  return step === 4 ? Date.UTC(year + 1, 0, 1) : day + DAY_MS
}

function refused(name: string, msg: string) {
  return validationProblemOf([valueError(['query', name], msg)])
}

function tooMany() {
  return refused('step', `There are more than ${MAX_ROWS} sums: take a longer step, fewer days, or name a key`)
}
