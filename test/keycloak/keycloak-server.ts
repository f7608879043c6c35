import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const VERSION = '26.7.3'
const ARCHIVE = `https://repo1.maven.org/maven2/org/keycloak/keycloak-quarkus-dist/${VERSION}/keycloak-quarkus-dist-${VERSION}.tar.gz`
const START_MS = 300_000
const LOOK_MS = 1_000

export type Keycloak = { url: string; close(): Promise<void> }

/** The folder of Keycloak: KEYCLOAK_HOME, or one in the folder for temporary files, downloaded once. */
export async function keycloakHome(): Promise<string> {
  const stated = process.env.KEYCLOAK_HOME
  if (stated) return stated
  const folder = join(tmpdir(), 'gatehouse-keycloak')
  const home = join(folder, `keycloak-${VERSION}`)
  if (existsSync(home)) return home
  await mkdir(folder, { recursive: true })
  const archive = join(folder, 'keycloak.tar.gz')
  execFileSync('curl', ['-fsSL', '-o', `${archive}.part`, ARCHIVE], { stdio: 'inherit' })
  await rename(`${archive}.part`, archive)
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  await rm(archive)
  return home
}

/** Starts it with one realm. Rejects with its output if it does not answer in time. */
export async function startKeycloak(home: string, port: number, realm: { realm: string }): Promise<Keycloak> {
  await rm(join(home, 'data'), { recursive: true, force: true })
  await mkdir(join(home, 'data', 'import'), { recursive: true })
  await writeFile(join(home, 'data', 'import', `${realm.realm}.json`), JSON.stringify(realm))
  const options = ['start-dev', '--import-realm', '--http-host=127.0.0.1', `--http-port=${port}`]
  const env = { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' }
  const child = spawn(join(home, 'bin', 'kc.sh'), options, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const url = `http://127.0.0.1:${port}`
  const close = () => stop(child)
  if (await answers(`${url}/realms/${realm.realm}`, child)) return { url, close }
  await close()
  throw new Error(`Keycloak did not start:\n${output}`)
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const end = performance.now() + START_MS
  while (performance.now() < end && child.exitCode === null) {
    if ((await fetch(url).catch(() => undefined))?.ok) return true
    await sleep(LOOK_MS)
  }
  return false
}

/** The script starts a process of its own, so the whole group is ended. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  process.kill(-child.pid!, 'SIGTERM')
  await once(child, 'exit')
}
