// The gateways that are measured, how each is started, and how each expects its requests.
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { writeLib } from '../pack/write-lib.ts'
import type { Portkey } from './portkey.ts'
import { freePort, type Program, type Running, type Workplace } from './workplace.ts'

const ROOT = join(import.meta.dirname, '..')
const CLIENT_KEY = 'gh-bench-0123456789abcdef0123456789abcdef'
export const ADMIN_KEY = `${CLIENT_KEY}-admin`
export const PROVIDER_KEY = 'sk-bench-0123456789abcdef'

/** Every contender with its name in a report, in the order of the tables. */
export const CONTENDERS = {
  direct: 'direct',
  bare: 'bare',
  gatehouse: 'Gatehouse',
  other: 'the other checkout',
  portkey: 'Portkey',
  litellm: 'LiteLLM',
  bifrost: 'Bifrost',
} as const

export type ContenderName = keyof typeof CONTENDERS

export type Contender = {
  name: ContenderName
  url: string
  headers: Record<string, string>
  model: string
  /** Nothing runs for `direct`: the load goes straight to the upstream. */
  running?: Running
}

export function directly(upstream: string): Contender {
  return { name: 'direct', url: `${upstream}/chat/completions`, headers: bearer(PROVIDER_KEY), model: 'gpt-4o-mini' }
}

export async function startBare(workplace: Workplace, upstream: string): Promise<Contender> {
  const port = await freePort()
  const parameters = [join(import.meta.dirname, 'bare-proxy.ts'), String(port), upstream, CLIENT_KEY]
  const running = await workplace.start(
    { name: 'bare', command: process.execPath, parameters },
    localUrl(port, '/ready'),
  )
  return {
    name: 'bare',
    url: localUrl(port, '/v3/chat/completions'),
    headers: bearer(CLIENT_KEY),
    model: 'openai/gpt-4o-mini',
    running,
  }
}

/** The program of the package, as in production: authentication, validation, ledger, metrics and logs are on. */
export async function startGatehouse(workplace: Workplace, upstream: string, env: Record<string, string> = {}) {
  return startCheckout({ name: 'gatehouse', folder: await packedFolder(workplace), env }, workplace, upstream)
}

/** The modules of this checkout, which a profile and another checkout can be compared with. */
export function startModules(workplace: Workplace, upstream: string, env: Record<string, string>) {
  return startCheckout({ name: 'gatehouse', folder: ROOT, env }, workplace, upstream)
}

/** Another checkout, with its own packages, on the same Node. */
export function startOther(workplace: Workplace, upstream: string, folder: string): Promise<Contender> {
  return startCheckout({ name: 'other', folder, env: {} }, workplace, upstream)
}

const packed = new WeakMap<Workplace, Promise<string>>()

/** What the package has is written once for each run. */
function packedFolder(workplace: Workplace): Promise<string> {
  const known = packed.get(workplace) ?? writePackage(join(workplace.folder, 'package'))
  packed.set(workplace, known)
  return known
}

async function writePackage(folder: string): Promise<string> {
  await writeLib(join(folder, 'lib'))
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

type Checkout = { name: 'gatehouse' | 'other'; folder: string; env: Record<string, string> }

async function startCheckout({ name, folder, env }: Checkout, workplace: Workplace, upstream: string) {
  const port = await freePort()
  const program: Program = {
    name,
    command: process.execPath,
    parameters: [join(folder, 'bin/gatehouse.js'), 'serve'],
    env: { ...(await gatehouseSettings(workplace, upstream, port)), ...env },
  }
  const running = await workplace.start(program, localUrl(port, '/health/ready'))
  const contender: Contender = {
    name,
    url: localUrl(port, '/v3/chat/completions'),
    headers: bearer(CLIENT_KEY),
    model: 'openai/gpt-4o-mini',
    running,
  }
  return contender
}

export async function startPortkey(workplace: Workplace, upstream: string, portkey: Portkey): Promise<Contender> {
  const port = await freePort()
  const parameters = [portkey.entry, `--port=${port}`, '--headless']
  const running = await workplace.start({ name: 'portkey', command: process.execPath, parameters }, localUrl(port, '/'))
  return {
    name: 'portkey',
    url: localUrl(port, '/v1/chat/completions'),
    headers: { ...bearer(PROVIDER_KEY), 'x-portkey-provider': 'openai', 'x-portkey-custom-host': upstream },
    model: 'gpt-4o-mini',
    running,
  }
}

async function gatehouseSettings(workplace: Workplace, upstream: string, port: number) {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(await freePort()),
    DATA_DIR: mkdtempSync(join(workplace.folder, 'data-')),
    DRAIN_DELAY_SECONDS: '0',
    GATEHOUSE_API_KEY: CLIENT_KEY,
    GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
    OPENAI_API_KEY: PROVIDER_KEY,
    OPENAI_BASE_URL: upstream,
    LOG_LEVEL: 'info',
  }
}

export function bearer(key: string): Record<string, string> {
  return { 'content-type': 'application/json', authorization: `Bearer ${key}` }
}

export function localUrl(port: number, path: string): string {
  return `http://127.0.0.1:${port}${path}`
}
