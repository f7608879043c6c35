import { existsSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { ConfigError } from '../../platform/config/config-error.ts'

/** Configs may name internal addresses, and secrets are secret. */
const OWNER_ONLY = 0o600

export type OutputFile = { path: string; text: string }
export type FileState = 'new' | 'unchanged' | 'replaced'

/** What writing the file would do. Refuses to replace a file with another content, which a person may have edited. */
export function stateOf({ path, text }: OutputFile, isForced: boolean): FileState {
  if (!existsSync(path)) return 'new'
  if (readFileSync(path, 'utf8') === text) return 'unchanged'
  if (isForced) return 'replaced'
  throw new ConfigError(`${path} exists and has another content. Name another file, or replace it with --force.`)
}

/**
 * Writes all files or none: first beside their places, then `between` runs, and then they are moved there. If `between` fails,
 * nothing has changed.
 */
export async function writeFiles<T>(files: readonly OutputFile[], between: () => Promise<T>): Promise<T> {
  const temporary = files.map((file) => ({ ...file, beside: `${file.path}.${process.pid}.tmp` }))
  try {
    for (const { beside, text } of temporary) await writeOne(beside, text)
    const result = await between()
    for (const { beside, path } of temporary) await rename(beside, path)
    return result
  } finally {
    for (const { beside } of temporary) await rm(beside, { force: true })
  }
}

async function writeOne(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', OWNER_ONLY)
  // The mode above is subject to the umask of the process, and a stricter one is fine, but not a wider one.
  await file.chmod(OWNER_ONLY)
  await file.write(text)
  await file.datasync()
}
