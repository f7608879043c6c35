// Where gateways of others are installed: outside of the project, once; later runs reuse the folder.
import { mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function toolFolder(name: string): string {
  const folder = join(tmpdir(), `gatehouse-bench-${name}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Everybody on the machine knows the name of this folder, so the code in it must be ours.
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`)
  return folder
}

/** The developer's own environment: an installer needs its registry, proxy and certificates. */
export function installerEnvironment(): Record<string, string> {
  const known = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(known)
}
