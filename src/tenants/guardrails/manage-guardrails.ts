import { randomBytes } from 'node:crypto'
import type {
  ChangeGuardrailRequest,
  CreateGuardrailRequest,
  GuardrailBody,
  GuardrailList,
  ReplayGuardrailRequest,
} from '../../contract/admin/guardrails.ts'
import { recordOf } from '../../base/schema/record.ts'
import { problem } from '../../contract/problems.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import { type GuardrailEntry, guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import type { Database } from '../../platform/store/database.ts'
import {
  deleteGuardrail,
  findStoredGuardrail,
  type GuardrailPlace,
  insertGuardrail,
  readStoredGuardrails,
  replaceGuardrail,
  type StoredGuardrail,
} from '../../platform/store/guardrails/stored-guardrails.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { storableJson } from '../../platform/store/json/storable-json.ts'
import type { AuditEvent, Author } from '../audit/author.ts'
import { audited } from '../audit/audited.ts'
import { changedFields } from '../audit/changes.ts'
import type { Actor } from '../people/actor.ts'
import { INSTALLATION, may } from '../people/may.ts'
import { notYours } from '../people/people-services.ts'
import { bodyOfGuardrail } from './guardrail-body.ts'
import { MAX_STORED_GUARDRAILS, readSettings, unreadable } from './guardrail-cache.ts'
import { demandChange, demandOutside, type GuardrailLevel, visibleGuardrails } from './guardrail-rights.ts'

// Guardrails of the admin API. They are in the store; every process keeps a copy of all of them in memory. Every change is one
// transaction with its line in the audit log.

type Reader = { db: Database; config: { guardrails: readonly Guardrail[] }; actor: Actor }
type Services = Reader & { author: Author; refreshGuardrails(): Promise<void> }

/** Another request may change the guardrail between our read and our write. */
const MAX_TRIES = 5
/** Every call looks at all guardrails of its key, project and organization. */
const MAX_OF_HOLDER = 20
const ID_BYTES = 6

export async function listGuardrails(
  page: { limit: number; cursor?: string | undefined },
  services: Reader,
): Promise<GuardrailList> {
  const stored = await readStoredGuardrails(services.db, MAX_STORED_GUARDRAILS)
  const rows = new Map(stored.map((row) => [row.id, row]))
  const ofFile = new Set(services.config.guardrails.map(({ id }) => id))
  const ofStore = stored.flatMap(({ id, settings }) => (ofFile.has(id) ? [] : (readSettings(settings) ?? [])))
  const all = await visibleGuardrails([...services.config.guardrails, ...ofStore], services)
  const following = all.filter(({ id }) => id > (page.cursor ?? '')).sort((one, other) => (one.id < other.id ? -1 : 1))
  const items = following.slice(0, page.limit).map((guardrail) => {
    return bodyOfGuardrail(guardrail, guardrail.ownedBy === 'api' ? rows.get(guardrail.id) : undefined)
  })
  return { items, next_cursor: following.length > page.limit ? items.at(-1)!.id : null }
}

export async function findGuardrail(id: string, services: Reader): Promise<GuardrailBody> {
  const { guardrail, stored } = await visibleGuardrail(id, services)
  return bodyOfGuardrail(guardrail, stored)
}

export async function createGuardrail(
  { id, ...body }: CreateGuardrailRequest,
  services: Services,
): Promise<GuardrailBody> {
  if (id != null && !may(services.actor, 'guardrails.write', INSTALLATION)) throw notYours(CHOOSES_ID)
  const entry = entryWith(body, { id: id ?? `guardrail-${randomBytes(ID_BYTES).toString('hex')}` })
  const guardrail = checkedGuardrail(entry)
  const place = placeOf(guardrail, await demandChange([guardrail], services))
  const db = logged({ id: entry.id, action: 'create', after: entry }, services)
  await refuseTaken(entry.id, services)
  const isNew = await insertGuardrail(db, {
    id: entry.id,
    settings: storableJson(entry),
    max: MAX_STORED_GUARDRAILS,
    place,
  })
  if (!isNew) {
    await refuseTaken(entry.id, services)
    throw tooMany(place)
  }
  await services.refreshGuardrails()
  return await findGuardrail(entry.id, services)
}

/**
 * Ids are unique in the whole installation, and an id that is taken is refused. A person of one organization would learn from that
 * which guardrails other organizations have, so the gateway makes the ids of their guardrails.
 */
const CHOOSES_ID = 'Your role does not let you choose the id. Leave it out: the gateway generates it.'

export async function changeGuardrail(
  { id, body }: { id: string; body: ChangeGuardrailRequest },
  services: Services,
): Promise<GuardrailBody> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { guardrail, stored } = await guardrailOfApi(id, services)
    const before = JSON.parse(stored.settings) as GuardrailEntry
    const entry = entryWith(body, before)
    const after = checkedGuardrail(entry)
    const place = placeOf(after, await demandChange([asSet(guardrail, stored), after], services))
    const removed = Object.fromEntries(Object.keys(before).map((name) => [name, null]))
    const db = logged({ id, action: 'update', ...changedFields(before, { ...removed, ...entry }) }, services)
    if (!(await replaceGuardrail(db, { id, before: stored.settings, after: storableJson(entry), place }))) continue
    await services.refreshGuardrails()
    return await findGuardrail(id, services)
  }
  throw problem('conflict', {
    message: `This guardrail cannot be changed: others change it at the same time, or ${MAX_OF_HOLDER} apply to the same already.`,
  })
}

export async function removeGuardrail(id: string, services: Services): Promise<void> {
  const { held, stored } = await storedGuardrail(id, services)
  await demandChange([asSet(held, stored)], services)
  const before = recordOf(tryParse(stored.settings))
  await deleteGuardrail(logged({ id, action: 'delete', before }, services), id)
  await services.refreshGuardrails()
}

/** A member that is null is removed. */
function entryWith(
  body: ChangeGuardrailRequest,
  before: Partial<GuardrailEntry> & { id: string },
): Record<string, unknown> & { id: string } {
  const members = Object.entries({ ...before, ...body }).filter(([, value]) => value !== null && value !== undefined)
  return { ...Object.fromEntries(members), id: before.id }
}

/** Throws what is wrong with an entry. */
function checkedGuardrail(entry: Record<string, unknown>): Guardrail {
  const guardrail = guardrailOf(entry, 'api', ['body'])
  if (!Array.isArray(guardrail)) return guardrail
  throw validationProblemOf(guardrail)
}

function placeOf({ appliesTo: { holder, id } }: Guardrail, setBy: GuardrailLevel): GuardrailPlace {
  const max = holder === 'all' ? MAX_STORED_GUARDRAILS : MAX_OF_HOLDER
  return { holder, holderId: id, setBy, max }
}

type Logged = { id: string; action: string } & Pick<AuditEvent, 'before' | 'after'>

/** The store for one change, which the audit log records with it. */
function logged({ id, action, ...fields }: Logged, { db, author }: Services): Database {
  return audited(db, author, { action: `guardrail.${action}`, object: `guardrail:${id}`, ...fields })
}

function asSet(guardrail: Pick<Guardrail, 'appliesTo' | 'checks'>, { setBy }: StoredGuardrail) {
  return { ...guardrail, setBy: setBy as GuardrailLevel }
}

type Tried = Pick<ReplayGuardrailRequest, 'guardrail' | 'checks' | 'action' | 'phases' | 'timeout_ms'>

/** A guardrail that the actor may see. */
export async function readableGuardrail(id: string, services: Reader): Promise<Guardrail> {
  return (await visibleGuardrail(id, services)).guardrail
}

/** A guardrail that the actor may see, or one that it describes. Nothing is stored. */
export async function guardrailToTry(
  { guardrail: id, checks, action, phases, timeout_ms }: Tried,
  services: Reader,
): Promise<Guardrail> {
  if (id == null) {
    const members = Object.entries({ checks, action, phases, timeout_ms }).filter(([, value]) => value != null)
    const described = checkedGuardrail({ ...Object.fromEntries(members), id: 'draft', applies_to: 'all' })
    demandOutside(described, services.actor)
    return described
  }
  return await readableGuardrail(id, services)
}

/** A guardrail that the actor may not see answers as one that does not exist. */
async function visibleGuardrail(id: string, services: Reader) {
  const { guardrail, held, stored } = await visible(id, services)
  if (!guardrail) throw problem('conflict', { message: `The guardrail '${id}' ${UNREADABLE}` })
  return { guardrail, held, stored }
}

const UNREADABLE =
  'cannot be read by this version of the gateway, and calls that it applies to are refused. Delete it, or start the version that wrote it.'

async function visible(id: string, services: Reader) {
  const { guardrail, held, stored } = await lookUp(id, services)
  if (!held || (await visibleGuardrails([held], services)).length === 0)
    throw problem('not_found', { message: 'There is no such guardrail.' })
  return { guardrail, held, stored }
}

async function guardrailOfApi(id: string, services: Reader) {
  const { guardrail } = await visibleGuardrail(id, services)
  return { guardrail, ...(await storedGuardrail(id, services)) }
}

/** Also one that cannot be read. */
async function storedGuardrail(id: string, services: Reader) {
  const { held, stored } = await visible(id, services)
  if (stored) return { held, stored }
  throw problem('conflict', {
    message: `The guardrail '${id}' is in the config file. Change it there and reload the configuration.`,
  })
}

async function lookUp(id: string, { db, config }: Reader) {
  const ofFile = config.guardrails.find((guardrail) => guardrail.id === id)
  const stored = ofFile ? undefined : await findStoredGuardrail(db, id)
  const guardrail = ofFile ?? (stored && readSettings(stored.settings))
  return { guardrail, held: guardrail ?? (stored && { ...unreadable(stored), checks: [] }), stored }
}

/** Of a guardrail that the actor may not see, it is only said that the id cannot be had. */
async function refuseTaken(id: string, services: Services): Promise<void> {
  const { held } = await lookUp(id, services)
  if (!held) return
  const isSeen = (await visibleGuardrails([held], services)).length > 0
  throw problem('conflict', {
    message: isSeen ? `There already is a guardrail '${id}'.` : 'This id cannot be used. Choose another id.',
  })
}

function tooMany({ holder, holderId, max }: GuardrailPlace) {
  const message =
    holder === 'all'
      ? `There are ${MAX_STORED_GUARDRAILS} guardrails already, which is the maximum.`
      : `${holder}:${holderId} has ${max} guardrails already, which is the maximum. Delete or change one of them.`
  return problem('conflict', { message })
}
