import { randomUUID } from 'node:crypto'
import { link, rm, writeFile } from 'node:fs/promises'

/**
 * Creates a private file unless there is one. It appears as a whole: if several processes do this at once, one of them
 * creates the file and all read the same content.
 */
export async function createOnce(path: string, content: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  await writeFile(temporary, content, { mode: 0o600, flush: true })
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
}
