import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type GatewayProcess, startProcess } from '../../gateway/gateway-process.ts'
import { blocksOf, pasted } from './document-blocks.ts'

// The commands of the guides, in their order, as a reader would paste them.

const KEYS = { GATEHOUSE_API_KEY: `gate-${'ab'.repeat(24)}`, GATEHOUSE_ADMIN_KEY: `gate-${'cd'.repeat(24)}` }
const noShell = spawnSync('bash', ['-c', 'curl --version']).status !== 0 && 'bash and curl are not on this machine'

describe('the commands of a guide work as they are pasted', { skip: noShell }, () => {
  let folder: string
  let gateway: GatewayProcess
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-guides-'))
    // curl then ends with an error after a status that is one.
    await writeFile(join(folder, '.curlrc'), 'silent\nfail-with-body\n')
    gateway = await startProcess({ DATA_DIR: join(folder, 'data'), ...KEYS })
  })
  after(async () => {
    await gateway?.stop()
    await rm(folder, { recursive: true })
  })

  test('budgets: a limit that is set refuses the second request, an increase adds to a budget', async () => {
    const [keys, limit, chat, ...others] = blocksOf('docs/budgets.md', 'sh')
    assert.match(keys!, /^export GATEHOUSE_ADMIN_KEY='.*'\nexport GATEHOUSE_API_KEY='.*'\n$/)
    assert.match(await paste(limit! + chat!), /HTTP\/1\.1 200 /)
    assert.match(await paste(`! { ${chat}}\n`), /HTTP\/1\.1 429 [\s\S]*"limit_id":"try-it"/)
    const printed = await paste(others.join('\n'))
    assert.match(printed, /"left":120/)
    assert.match(printed, /0 would have been refused/)
    assert.match(printed, /\{"released":0\}/)
  })

  test('people: an owner, an invitation, a service account with its token, an organization', async () => {
    const blocks = blocksOf('docs/people.md', 'sh')
    // Bob has not opened his invitation, so there is no account of his yet.
    const disable = 'npx gatehouse users disable bob@example.com\n'
    const use = blocks.find((block) => block.includes('GATEHOUSE_TOKEN'))!
    const printed = await paste(blocks.filter((block) => block !== disable && block !== use).join('\n'))
    assert.ok(blocks.includes(disable))
    assert.equal(printed.match(/setup#invitation=/g)?.length, 2)
    const token = /gate_token_[\w-]+/.exec(printed)![0]
    assert.match(await paste(use.replace('the token of the answer', token)), /"group_by":"model"/)
  })

  async function paste(commands: string): Promise<string> {
    const ours = commands
      .replaceAll('http://127.0.0.1:8080', gateway.url)
      .replaceAll('http://127.0.0.1:8081', gateway.adminUrl)
      // npx takes longer than the command that it runs.
      .replaceAll('npx gatehouse ', 'node bin/gatehouse.js ')
    const env = { ...KEYS, HOME: folder, DATA_DIR: join(folder, 'data') }
    const { code, output } = await pasted(ours, env)
    assert.equal(code, 0, output)
    return output
  }
})
