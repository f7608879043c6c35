import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKey } from '../../platform/store/keys/keys.ts'
import { findProject, PERSONAL } from '../../platform/store/projects/projects.ts'

/** Where a new key belongs. `contentOf` is another key, whose content it uses; otherwise the sharing mode of the project decides. */
type KeyAssignment = { project: string; contentOf: string | null; createsProject: boolean }

type Named = { project?: string | null | undefined; owner?: string | null | undefined }

/**
 * `owner` is another name of `project`. It creates a project that does not exist, and the id of a key as the owner means the
 * content of that key.
 */
export async function keyAssignment({ project, owner }: Named, db: Database): Promise<KeyAssignment> {
  if (project && owner && project !== owner) throw refused('owner', 'Name the project or the owner, not both')
  if (project) {
    await checkProject(project, db, 'There is no such project. Name it as the owner to create it')
    return { project, contentOf: null, createsProject: false }
  }
  if (!owner) return { project: PERSONAL, contentOf: null, createsProject: false }
  const shared = (await findProject(db, owner)) ? undefined : await findKey(db, owner)
  if (!shared) return { project: owner, contentOf: null, createsProject: true }
  const contentOf = shared.ownerKind === 'key' ? shared.ownerId : null
  return { project: shared.project, contentOf, createsProject: false }
}

/** Refuses the id of a project that keys cannot join. */
export async function checkProject(id: string, db: Database, message = 'There is no such project'): Promise<void> {
  const found = await findProject(db, id)
  if (!found || found.deletedAt !== null) throw refused('project', message)
}

export function projectIsDeleted(id: string) {
  return problem('conflict', { message: `The project '${id}' was deleted. Choose another name.` })
}

function refused(field: string, msg: string) {
  const detail = [{ loc: ['body', field], msg, type: 'value_error' }]
  return problem('validation_error', { message: `${field}: ${msg}`, param: field, detail })
}
