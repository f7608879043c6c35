import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { startFakeProvider } from '../fakes/provider.ts'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'

// `npm run promtool`: Prometheus itself checks the alert rules, plays their tests, and checks the page of a running gateway. Needs
// promtool (Debian: the package prometheus); says what it skips without it.

const ROOT = join(import.meta.dirname, '..', '..')
const PROGRAM = process.env.PROMTOOL ?? 'promtool'
const RULES = 'docs/prometheus/gatehouse.yml'

if (spawnSync(PROGRAM, ['--version']).status !== 0)
  console.log('skipped: alert rules, their tests and the page: there is no promtool; name one with PROMTOOL')
else process.exitCode = (await checkAll()) ? 0 : 1

async function checkAll(): Promise<boolean> {
  const results = [
    promtool(['check', 'rules', '--lint-fatal', RULES]),
    promtool(['test', 'rules', 'test/promtool/alerts.yml']),
    promtool(['check', 'metrics', '--extended'], await busyPage()),
  ]
  return results.every((isOk) => isOk)
}

function promtool(parameters: string[], input = ''): boolean {
  const { status, stdout, stderr } = spawnSync(PROGRAM, parameters, { cwd: ROOT, input, encoding: 'utf8' })
  console.log(`${status === 0 ? 'ok    ' : 'WRONG '} promtool ${parameters.join(' ')}\n${stdout}${stderr}`)
  return status === 0
}

/** The metrics of a gateway that has done a little of everything. */
async function busyPage(): Promise<string> {
  const provider = await startFakeProvider()
  const gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url } })
  try {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const post = async (path: string, body: object) => {
      const response = await fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await response.text()
    }
    for (const model of ['openai/gpt-4o', 'openai/a"b\\c\nd', 'sandbox/fail-500'])
      await post('chat/completions', { model, messages: [{ role: 'user', content: 'x' }] })
    await post('universal-ai/async', { model: 'text/moderation/sandbox', input: { text: 'Hello' } })
    return await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  } finally {
    await gateway.close()
    await provider.close()
  }
}
