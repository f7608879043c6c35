import type { Limit } from '../../../platform/config/spend-limits/limit.ts'
import { isNamed, type Named, namesOf } from '../../../platform/store/ledger/names.ts'
import type { Database } from '../../../platform/store/database.ts'
import { findHolderScopes } from '../../../platform/store/limits/holder-scopes.ts'

type Subject = { limit: Limit; bucket: { bucket: string } }

/** Whose limit it is, in words; the project that it belongs to; and the name of the key or user that is counted apart. */
export type NamesInLimits = (subject: Subject) => { whose: string; project: string | null; bucketName: string | null }

/** Looks up all names at once. */
export async function namesInLimits(db: Database, subjects: readonly Subject[]): Promise<NamesInLimits> {
  const nameOf = await readNames(db, subjects)
  const places = new Map((await findHolderScopes(db, 'key', keysOf(subjects))).map(({ id, project }) => [id, project]))
  return ({ limit: { appliesTo, per }, bucket }) => {
    const { holder, id } = appliesTo
    return {
      whose: id === null ? holder : `${holder.replace('_', ' ')} ${nameOf(holder, id) ?? id}`,
      project: holder === 'project' ? id : holder === 'key' ? (places.get(id!) ?? null) : null,
      bucketName: (per && nameOf(per, bucket.bucket)) || null,
    }
  }
}

async function readNames(db: Database, subjects: readonly Subject[]) {
  const ids = new Map<Named, Set<string>>()
  for (const { limit, bucket } of subjects) {
    addId(ids, limit.appliesTo.holder, limit.appliesTo.id)
    addId(ids, limit.per, bucket.bucket)
  }
  const names = new Map<string, Map<string, string>>()
  for (const [kind, some] of ids) names.set(kind, await namesOf(db, kind, [...some]))
  return (kind: string, id: string): string | undefined => names.get(kind)?.get(id)
}

/** Everybody has no id, and end users have no name. */
function addId(ids: Map<Named, Set<string>>, kind: string | null, id: string | null): void {
  if (kind && id && isNamed(kind)) ids.set(kind, (ids.get(kind) ?? new Set()).add(id))
}

function keysOf(subjects: readonly Subject[]): string[] {
  const ids = subjects.flatMap(({ limit: { appliesTo } }) => (appliesTo.holder === 'key' ? [appliesTo.id!] : []))
  return [...new Set(ids)]
}
