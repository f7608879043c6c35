import { readFileSync } from 'node:fs'

/** The same path leads from src/cli and from lib/cli to the package. */
const MANIFEST = new URL('../../package.json', import.meta.url)

export function versionText(): string {
  const { name, version } = manifest()
  return `${name} ${version} (Node ${process.versions.node}, ${process.platform} ${process.arch})\n`
}

export function packageVersion(): string {
  return manifest().version
}

function manifest(): { name: string; version: string } {
  return JSON.parse(readFileSync(MANIFEST, 'utf8'))
}
