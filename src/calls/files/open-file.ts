import type { TaskFile } from '../../translation/tasks/feature.ts'
import type { TempBytes } from './temp-file-writer.ts'

/** A file that may be read as a whole, or piece by piece. */
export type OpenFile = TaskFile & Pick<TempBytes, 'read'>
