import { after, before, test } from 'node:test'
import { sample } from '../soak/sample.ts'
import { assertUnblocked } from './drive.ts'
import { type ProbedGateway, startProbedGateway } from './probed-gateway.ts'

// The simulated provider works inside of the process, so it has to let other work run while it handles a large body.

const BYTES = sample(8, 22) * 1024 * 1024

let gateway: ProbedGateway
before(async () => {
  gateway = await startProbedGateway(1_024, {})
})
after(() => gateway.close())

test('a large body is answered by the sandbox step by step', async () => {
  const messages = [{ role: 'user', content: '語"a'.repeat(BYTES / 6) }]
  const body = Buffer.from(JSON.stringify({ model: 'sandbox/echo', messages }))
  await assertUnblocked(gateway, { name: 'sandbox/echo', path: '/v3/chat/completions', body })
})
