// Fetches the Portkey gateway from npm into a folder outside the project, once; later runs reuse it.
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { installerEnvironment, toolFolder } from './tool-folder.ts'
import type { Workplace } from './workplace.ts'

const INSTALL_LIMIT_MS = 180_000
const VERSIONS = {
  '@portkey-ai/gateway': '1.15.2',
  // Its streams break on later versions of these two.
  '@hono/node-server': '1.13.8',
  hono: '4.9.7',
}

export type Portkey = { entry: string; version: string }

/** Throws with the reason if it cannot be installed. */
export async function fetchPortkey(workplace: Workplace): Promise<Portkey> {
  const folder = toolFolder('portkey')
  if (!isInstalled(folder)) await install(workplace, folder)
  const entry = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  return { entry, version: VERSIONS['@portkey-ai/gateway'] }
}

function isInstalled(folder: string): boolean {
  return Object.entries(VERSIONS).every(([name, version]) => installedVersion(folder, name) === version)
}

function installedVersion(folder: string, name: string): string | undefined {
  try {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    return (JSON.parse(text) as { version?: string }).version
  } catch {
    return undefined
  }
}

async function install(workplace: Workplace, folder: string): Promise<void> {
  console.error('fetching the Portkey gateway with npm …')
  const { '@portkey-ai/gateway': gateway, ...overrides } = VERSIONS
  const manifest = { private: true, dependencies: { '@portkey-ai/gateway': gateway }, overrides }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  const parameters = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
  const program = { name: 'npm', command: 'npm', parameters, cwd: folder, env: npmEnvironment() }
  await workplace.run(program, INSTALL_LIMIT_MS)
  if (!isInstalled(folder)) throw new Error('npm installed other versions than the pinned ones')
}

// npm must run on the Node that runs us, which comes with the project and may not be the machine's.
function npmEnvironment(): Record<string, string> {
  return { ...installerEnvironment(), PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }
}
