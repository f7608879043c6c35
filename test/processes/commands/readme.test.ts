import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { blocksOf, pasted } from './document-blocks.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Every code block of the README, run as a reader would paste it.

const [start, chat, asPackage, asContainer, claudeCode, task, keys, ...more] = blocksOf('README.md', 'sh')
const [script, ...moreScripts] = blocksOf('README.md', 'js')

describe('the README', () => {
  let gateway: GatewayUnderTest
  before(async () => {
    gateway = await startGateway()
  })
  after(async () => {
    await gateway?.close()
  })

  test('has no other code blocks than those that are run here, by try-package and by deploy-check', () => {
    assert.equal(start, 'npm ci && npm start\n')
    assert.match(asPackage!, /npm pack .*\n.*npm install .* && npx gatehouse serve\n$/)
    assert.match(asContainer!, /docker build .*\ndocker run /)
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
