import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { run } from '../../../src/cli/cli.ts'
import { NO_CONFIG, runHere, temporaryFolder } from '../../gateway/gateway-process.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
before(async () => {
  folder = await temporaryFolder()
})
after(() => folder.remove())

test('a person sees what the columns of the keys are, a program does not', async () => {
  await runHere(['keys', 'create', '--name', 'x'], { DATA_DIR: folder.path })
  assert.equal(await remarksOn({ isTTY: false }), '')
  assert.match(await remarksOn({ isTTY: true }), /^id +ends +kind +state +region +created +project +name\n$/)
})

async function remarksOn({ isTTY }: { isTTY: boolean }): Promise<string> {
  const remarks: string[] = []
  const code = await run(['keys', 'list'], {
    environment: { GATEHOUSE_CONFIG: NO_CONFIG, DATA_DIR: folder.path },
    print: () => {},
    remark: (text) => void remarks.push(text),
    screen: { isTTY, write: () => {} },
  })
  assert.equal(code, 0)
  return remarks.join('')
}
