import { readFileSync } from 'node:fs'

/** The same path leads from src/cli and from lib/cli to the package. */
const MANIFEST = new URL('../../package.json', import.meta.url)

export function versionText(): string {
  const { name, version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { name: string; version: string }
  return `${name} ${version} (Node ${process.versions.node}, ${process.platform} ${process.arch})\n`
}
