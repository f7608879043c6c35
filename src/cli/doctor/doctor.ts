import { pino } from 'pino'
import { type Config, loadConfig } from '../../platform/config/config.ts'
import { checkNetworks, openNetwork } from '../../server/network.ts'
import { openTls } from '../../server/open-tls.ts'
import type { Input } from '../command-line/command-table.ts'
import { sentenceOf } from '../command-line/expected-errors.ts'
import type { Terminal } from '../terminal.ts'
import { checkAliases } from './check-aliases.ts'
import { checkClock } from './check-clock.ts'
import { checkDatabase } from './check-database.ts'
import { checkDisk } from './check-disk.ts'
import { checkEnvironment } from './check-environment.ts'
import { checkLimits } from './check-limits.ts'
import { checkPorts } from './check-ports.ts'
import { callProviders, listProviders } from './check-providers.ts'
import { checkReceivers } from './check-receivers.ts'
import { failed, type Finding, ok, textOf } from './finding.ts'

/** Prints a line for each check as soon as it is done. Exits with 1 if one of them has failed. */
export async function doctor({ values }: Input<'doctor'>, terminal: Terminal): Promise<number> {
  const counts = { ok: 0, warning: 0, failed: 0 }
  for await (const finding of check(terminal, values.providers === true)) {
    counts[finding.state]++
    terminal.print(textOf(finding))
  }
  const warnings = counts.warning === 1 ? '1 warning' : `${counts.warning} warnings`
  terminal.print(`\n${counts.ok} ok, ${warnings}, ${counts.failed} failed\n`)
  return counts.failed === 0 ? 0 : 1
}

async function* check({ environment = {} }: Terminal, callsProviders: boolean): AsyncGenerator<Finding> {
  yield ok('node', process.versions.node)
  yield checkClock()
  const config = await readConfig(environment)
  if ('state' in config) return yield config
  yield ok('config', config.source.file.path ?? 'no config file; settings come from the environment')
  yield* checkEnvironment(config, environment)
  yield* await checkDisk(config.dataDir)
  yield* await checkDatabase(config)
  yield* checkAliases(config)
  yield* checkLimits(config)
  yield* checkReceivers(config)
  yield* checkNetwork(config, callsProviders)
}

/** Refuses all settings that `serve` would refuse, also those that `serve` reads later than the others. */
async function readConfig(environment: NonNullable<Terminal['environment']>): Promise<Config | Finding> {
  try {
    const config = loadConfig(environment)
    checkNetworks(config)
    const certificate = await openTls(config, pino({ level: 'silent' }))
    certificate?.close()
    return config
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    return failed('config', sentence, 'Correct it first: the other checks need it.')
  }
}

async function* checkNetwork(config: Config, callsProviders: boolean): AsyncGenerator<Finding> {
  const { upstream, direct } = openNetwork(config, pino({ level: 'silent' }))
  try {
    yield* await checkPorts(config, upstream.send)
    yield listProviders(config)
    if (callsProviders) yield* await callProviders(config, { send: upstream.send, sendDirectly: direct.send })
  } finally {
    await Promise.all([upstream.close(), direct.close()])
  }
}
