import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { answerStage } from './answer-stage.ts'
import { inTurn } from './stage.ts'

const upper = () => answerStage(async (answer) => ({ ...answer, content: answer.content?.toUpperCase() ?? null }), true)

function chunk(index: number, content: string, finish_reason: 'stop' | null = null): ChatChunk {
  const choices = [{ index, delta: { content }, finish_reason }]
  return { id: 'a', object: 'chat.completion.chunk', created: 0, model: 'm', choices }
}

test('stages that hold a stream back hand on more chunks than a call takes arguments', async () => {
  const stage = inTurn(
    upper(),
    answerStage(async (answer) => answer, true),
  )
  for (let fed = 0; fed < 200_000; fed += 1_000) stage.feed(Array.from({ length: 1_000 }, () => chunk(0, '')))
  assert.equal((await stage.end()).length, 200_000)
})

test('as many answers as a stream has chunks are rewritten in one go', async () => {
  const small = await rewriteCpu(1_000)
  const large = await rewriteCpu(8_000)
  assert.ok(large < 24 * small + 20_000, `${small} µs for 1,000 answers, ${large} µs for 8,000`)
})

async function rewriteCpu(answers: number): Promise<number> {
  const stage = upper()
  for (let index = 0; index < answers; index++) stage.feed([chunk(index, 'a'), chunk(index, 'b', 'stop')])
  const before = process.threadCpuUsage()
  const chunks = await stage.end()
  const { user } = process.threadCpuUsage(before)
  assert.equal(
    chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join(''),
    'AB'.repeat(answers),
  )
  return user
}
