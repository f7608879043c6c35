import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the package. The file is two folders up, in a checkout and in an installed package. */
export function packageVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
