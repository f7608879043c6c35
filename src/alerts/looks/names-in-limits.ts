import type { Limit } from '../../config/spend-limits/limit.ts'
import { isNamed, type Named, namesOf } from '../../store/ledger/names.ts'
import type { Database } from '../../store/database.ts'
import { findHolderPlaces } from '../../store/limits/holder-places.ts'

type Subject = { limit: Limit; bucket: { bucket: string } }

/** Whose limit it is, in words; the project that it belongs to; and the name of the key or user that is counted apart. */
export type NamesInLimits = (subject: Subject) => { whose: string; project: string | null; bucketName: string | null }

/** Looks up all names at once. */
export async function namesInLimits(db: Database, subjects: readonly Subject[]): Promise<NamesInLimits> {
  const ids = new Map<Named, Set<string>>()
  const add = (what: string | null, id: string | null) => {
    if (what && id && isNamed(what)) ids.set(what, (ids.get(what) ?? new Set()).add(id))
  }
  for (const { limit, bucket } of subjects) {
    add(limit.appliesTo.holder, limit.appliesTo.id)
    add(limit.per, bucket.bucket)
  }
  const names = new Map<string, Map<string, string>>()
  for (const [what, some] of ids) names.set(what, await namesOf(db, what, [...some]))
  const places = new Map((await findHolderPlaces(db, 'key', keysOf(subjects))).map(({ id, project }) => [id, project]))
  return ({ limit: { appliesTo, per }, bucket }) => {
    const { holder, id } = appliesTo
    const name = names.get(holder)?.get(id ?? '')
    return {
      whose: id === null ? holder : `${holder.replace('_', ' ')} ${name ?? id}`,
      project: holder === 'project' ? id : holder === 'key' ? (places.get(id!) ?? null) : null,
      bucketName: (per && names.get(per)?.get(bucket.bucket)) || null,
    }
  }
}

function keysOf(subjects: readonly Subject[]): string[] {
  const ids = subjects.flatMap(({ limit: { appliesTo } }) => (appliesTo.holder === 'key' ? [appliesTo.id!] : []))
  return [...new Set(ids)]
}
