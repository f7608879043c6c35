import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { blocksOf, pasted, ROOT } from './document-blocks.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Every code block of the README, run as a reader would paste it.

const [start, tests, chat, claudeCode, task, job, keys, ...more] = blocksOf('README.md', 'sh')
const [script, ...moreScripts] = blocksOf('README.md', 'js')
const HOOK = 'https://example.com/hook'

describe('the README', () => {
  let gateway: GatewayUnderTest
  let receiver: Server
  before(async () => {
    // The receiver of this test is on this machine, so the gateway may call it.
    gateway = await startGateway({ env: { ALLOW_NETWORKS: '127.0.0.0/8' } })
    receiver = createServer().listen(0, '127.0.0.1')
    await once(receiver, 'listening')
  })
  after(async () => {
    receiver?.close()
    await gateway?.close()
  })

  test('has no other code blocks than those that are run here', () => {
    assert.deepEqual([start, tests], ['npm ci && npm start\n', 'npm ci && npm test\n'])
    assert.ok(readFileSync(join(ROOT, '.ci', 'run'), 'utf8').includes(`\n${tests!.trim()} || exit\n`))
    assert.deepEqual([more, moreScripts], [[], []])
  })

  test('its first lines work as they are pasted: curl, the openai package, a task', async () => {
    const done = await paste(`${chat}echo\nnode --input-type=module <<'END'\n${script}\nEND\necho\n${task}`)
    const [whole, streamed, read] = done.split('\n')
    assert.equal(JSON.parse(whole!).choices[0].message.content, 'Hello, gatehouse!')
    assert.equal(streamed, 'Hello, gatehouse!')
    assert.equal(JSON.parse(read!).status, 'success')
    assert.match(JSON.parse(read!).output.text, /^Harbour Hotel\n/)
  })

  test('the job that it starts ends with a signed webhook', async () => {
    const delivered = once(receiver, 'request') as Promise<[IncomingMessage, { end(): void }]>
    const { port } = receiver.address() as AddressInfo
    const upload = task!.slice(0, task!.indexOf('curl http://127.0.0.1:8080/v3/universal-ai'))
    const started = JSON.parse(await paste(`${key()}${upload}${job!.replace(HOOK, `http://127.0.0.1:${port}/hook`)}`))
    const [request, response] = await delivered
    const { job_id, status } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    response.end()
    assert.equal(started.status, 'processing')
    assert.deepEqual([job_id, status], [started.job_id, 'success'])
    assert.match(String(request.headers['x-service-signature']), /^[0-9a-f]+$/)
  })

  test('its variables for Claude Code lead to the messages endpoint', async () => {
    const ask = `curl "$ANTHROPIC_BASE_URL/v1/messages" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \
-H 'Content-Type: application/json' -d '{"model":"sandbox/echo","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}'`
    const answer = JSON.parse(await paste(`${key()}${claudeCode}test -n "$ANTHROPIC_MODEL"\n${ask}`))
    assert.equal(answer.content[0].text, 'Hi')
  })

  test('its commands for keys make, limit and list keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-readme-'))
    try {
      // npx takes longer than the command that it runs: it is tried once.
      const commands = keys!.replaceAll('\nnpx gatehouse ', '\nnode bin/gatehouse.js ')
      const printed = await paste(commands, { DATA_DIR: folder, HOME: folder })
      assert.equal(printed.match(/^gate_\S+$/gm)?.length, 2, printed)
      assert.match(printed, /project team-a/)
      assert.match(printed, / sandbox .* ci$/m)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  async function paste(commands: string, env: Record<string, string> = {}): Promise<string> {
    const ours = commands
      .replaceAll('http://127.0.0.1:8080', gateway.url)
      .replace('the key that the start printed', API_KEY)
    const { code, output } = await pasted(ours.replaceAll('curl ', 'curl -s '), env)
    assert.equal(code, 0, output)
    return output
  }
})

/** The line of the README that sets the key. */
function key(): string {
  return `${chat!.split('\n')[0]}\n`
}
