import cluster from 'node:cluster'
import { type Config, loadConfig } from '../platform/config/config.ts'
import type { Role } from '../server/gateway.ts'
import { didYouMean } from '../base/schema/nearest-name.ts'
import type { Input } from './command-line/command-table.ts'
import { limitHeap } from './limit-heap.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const ROLES: readonly Role[] = ['all', 'api', 'worker']

export async function serve({ values }: Input<'serve'>, { environment }: Terminal): Promise<number> {
  const role = readRole(values.role)
  const config = cluster.isWorker ? undefined : configWithinMemory(environment)
  // The process may have been replaced, so the gateway is loaded only now.
  const { serveAsMember, servePrimary } = await import('./serve-gateway.ts')
  return config ? await servePrimary(config, role) : await serveAsMember(environment, role)
}

function configWithinMemory(environment: Terminal['environment']): Config {
  const config = loadConfig(environment)
  limitHeap(config)
  return config
}

function readRole(text = 'all'): Role {
  const role = ROLES.find((one) => one === text)
  if (!role) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.${didYouMean(text, ROLES)}`)
  return role
}
