import { UsageError } from '../usage-error.ts'

// Mistakes of the operator, and things that are not available, are reported in a sentence that says what to do, without a
// stack. Everything else is a mistake of ours, and needs its stack.

/** Errors are recognized by name, because their classes are in modules that a small command does not load. */
const NAMES: ReadonlySet<string> = new Set([
  'BackupError',
  'CatalogError',
  'ConfigError',
  'Problem',
  'SigningKeyError',
  'SourceDatabaseError',
  'StoreDamaged',
  'StoreTooNew',
  'StoreUnavailable',
])

/** Undefined for an error that is a fault of the program. */
export function sentenceOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof UsageError || NAMES.has(error.name)) return error.message
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException
  const advice = Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined
  return advice && `${advice(path === undefined ? 'the file' : path, syscall)} (${code})`
}

const ELSEWHERE = 'The data folder is set with DATA_DIR or --data-dir.'

/** System calls that only look at a file: the command did not try to create it. */
const LOOKS: ReadonlySet<string> = new Set(['stat', 'lstat', 'scandir'])

const mayNotWrite = (path: string) =>
  `This user may not write to ${path}. Change its owner or its mode, or choose another place. ${ELSEWHERE}`

const ADVICE: Readonly<Record<string, (path: string, syscall: string) => string>> = {
  EACCES: mayNotWrite,
  EPERM: mayNotWrite,
  EROFS: (path) =>
    `The file system of ${path} is read-only. Mount it for writing, or choose another place. ${ELSEWHERE}`,
  ENOSPC: (path) => `The disk of ${path} is full. Free some space, or choose another place. ${ELSEWHERE}`,
  EDQUOT: (path) => `The disk quota for ${path} is used up. Free some space, or choose another place. ${ELSEWHERE}`,
  ENOTDIR: (path) => `${path} needs a folder where there is a file. Choose another place. ${ELSEWHERE}`,
  EEXIST: (path) => `${path} exists already and is in the way. Move it, or choose another place. ${ELSEWHERE}`,
  EISDIR: (path) => `${path} is a folder. Name a file.`,
  ENOENT: (path, syscall) =>
    LOOKS.has(syscall)
      ? `There is no ${path}. Check the path.`
      : `There is no ${path}, and it cannot be created. Check the path. ${ELSEWHERE}`,
  EMFILE: () => 'The limit of open files is reached. Raise it, for example with `ulimit -n 65536`.',
}
