import type { Config } from '../../platform/config/config.ts'
import { freePort } from '../../platform/net/free-port.ts'
import { readText } from '../../platform/net/read-text.ts'
import { GATEWAY_OWNER, type Send } from '../../translation/wire/wire.ts'
import { failed, type Finding, ok } from './finding.ts'

const TIMEOUTS = { connectMs: 2_000, headersMs: 2_000, idleMs: 2_000 }
const TOTAL_MS = 3_000
const MAX_BYTES = 10_000

/** A port is free, or a gateway is running there. */
export async function checkPorts({ host, port, adminHost, adminPort }: Config, send: Send): Promise<Finding[]> {
  const listeners = [
    { subject: 'port', host, port, settings: 'HOST and PORT' },
    { subject: 'admin port', host: adminHost, port: adminPort, settings: 'ADMIN_HOST and ADMIN_PORT' },
  ]
  return await Promise.all(listeners.map((listener) => checkPort(listener, send)))
}

type Listener = { subject: string; host: string; port: number; settings: string }

async function checkPort({ subject, host, port, settings }: Listener, send: Send): Promise<Finding> {
  if (port === 0) return ok(subject, 'The system picks a free port.')
  try {
    await freePort(host, port)
    return ok(subject, `${host}:${port} is free`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' && (await isGateway(host, port, send)))
      return ok(subject, `a gateway runs at ${host}:${port}`)
    const text = code === 'EADDRINUSE' ? 'is used by another program' : `cannot be opened (${code})`
    return failed(subject, `${host}:${port} ${text}.`, `Set ${settings} to an address and a free port of this machine.`)
  }
}

async function isGateway(host: string, port: number, send: Send): Promise<boolean> {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  const request = { method: 'GET' as const, url: `http://${own}:${port}/health/live`, headers: {}, body: null }
  try {
    const reply = await send(request, {
      signal: AbortSignal.timeout(TOTAL_MS),
      timeouts: TIMEOUTS,
      owner: GATEWAY_OWNER,
    })
    return JSON.parse(await readText(reply.body, MAX_BYTES)).status === 'live'
  } catch {
    return false
  }
}
