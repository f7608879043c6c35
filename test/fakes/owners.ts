import { type Owner, projectOwner } from '../../src/platform/store/owner.ts'

/** The project that every store has. */
const DEFAULT = projectOwner({ organization: 'default', project: 'default' })

/** An owner with this text, for tests in which owners only have to differ. All of them are in the project that every store has. */
export function ownerNamed(owner: string): Owner {
  return { ...DEFAULT, owner }
}
