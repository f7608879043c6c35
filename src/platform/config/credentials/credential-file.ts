import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../config-error.ts'

/** Far more than a key takes. */
const MAX_FILE_BYTES = 65_536

/** Reads a file with a credential. `name` is the setting that names the file; messages never show its content. */
export function readCredentialFile(file: string, name = `credentials: ${file}`): { path: string; text: string } {
  const path = resolve(file)
  let text: string
  try {
    text = contentOf(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigError(`${name}: the file cannot be read (${code ?? message})`)
  }
  if (text.trim() === '') throw new ConfigError(`${name}: the file is empty`)
  return { path, text }
}

function contentOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new Error('not a file')
    if (stat.size > MAX_FILE_BYTES) throw new Error(`more than ${MAX_FILE_BYTES} bytes`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
