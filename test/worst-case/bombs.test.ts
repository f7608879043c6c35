import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type GatewayProcess, startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../gateway/task-client.ts'
import { sample } from '../soak/sample.ts'
import { type Bomb, OFFICE_BOMBS, PDF_BOMBS } from './bombs.ts'

// A gateway as operators start it, with one limit for everything. Each bomb is sent several times at once: all engines read it.

const LIMIT_MB = 1024
const AT_ONCE = 3
/** One for each way of growing: buffers of a decoder, the heap, many images, a decompressed archive. */
const FEW = ['text-packed-twice.pdf', 'letters-without-end.pdf', 'image-packed-twice.pdf', 'zeros.docx', 'cells.xlsx']

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: GatewayProcess
let client: TaskClient
before(async () => {
  folder = await temporaryFolder()
  gateway = await startProcess({
    DATA_DIR: folder.data,
    GATEHOUSE_API_KEY: API_KEY,
    MEMORY_LIMIT_MB: String(LIMIT_MB),
  })
  client = taskClient(gateway.url)
})
after(async () => {
  await gateway.stop()
  await folder.remove()
})

const all = [...PDF_BOMBS, ...OFFICE_BOMBS].toSorted((one, other) => rank(one) - rank(other))
for (const bomb of all.slice(0, sample(FEW.length, all.length)))
  test(`${bomb.name} is refused, others are served meanwhile, and the process stays below its limit`, async () => {
    const { file_id: file } = await client.store(bomb.make(), bomb.name)
    const reading = () => client.run({ model: 'ocr/ocr/local', input: { file } })
    const refused = Array.from({ length: AT_ONCE }, reading)
    const chat = await client.post('/v3/chat/completions', {
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: 'Hello' }],
    })
    assert.equal(chat.status, 200)
    for (const { status, body } of await Promise.all(refused))
      assert.ok(status >= 400 && status < 500, `${status} ${JSON.stringify(body)}`)
    const peak = await peakMb(gateway.child.pid!)
    assert.ok(peak < LIMIT_MB, `it took ${peak} MB`)
  })

function rank({ name }: Bomb): number {
  return FEW.includes(name) ? 0 : 1
}

async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024)
}
