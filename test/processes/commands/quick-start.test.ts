import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { blocksOf, pasted } from './document-blocks.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { freePort } from '../../../src/platform/net/free-port.ts'

const QUICK_START = 'docs/quick-start.md'
const [start, , ...commands] = blocksOf(QUICK_START, 'sh')
const noShell = spawnSync('bash', ['-c', 'curl --version']).status !== 0 && 'bash and curl are not on this machine'

test('the gateway does all that the quick start says, by its own commands, with the answers that it shows, off the event loop', {
  skip: noShell,
}, async (t) => {
  const gateway = await startGateway({ env: settingsOf(start!) })
  t.after(() => gateway.close())
  const RECEIVER = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}`
  const env = { API: `${gateway.url}/v3`, RECEIVER, GATEHOUSE_API_KEY: API_KEY }
  const [own, all] = [process.threadCpuUsage(), process.cpuUsage()]
  const { code, output } = await pasted(commands.join(''), env)
  assert.equal(output, blocksOf(QUICK_START, 'json').join(''))
  assert.equal(code, 0)
  // OCR is more work than all the rest, so if the event loop had done any of it, it would have used most of the CPU.
  assert.ok(sum(process.threadCpuUsage(own)) < sum(process.cpuUsage(all)) / 2)
})

function sum({ user, system }: { user: number; system: number }): number {
  return user + system
}

/** The settings in the command that starts the gateway. */
function settingsOf(command: string): Record<string, string> {
  const settings = Array.from(command.matchAll(/([A-Z_]+)=(\S+)/g), ([, name, value]) => [name!, value!])
  assert.ok(settings.length > 0)
  return Object.fromEntries(settings)
}
