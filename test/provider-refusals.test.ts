import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askWithoutPort, refusalOfPrompt } from './fakes/refusals/ask-without-port.ts'
import { everyTalk, play, someTalks, titleOf } from './fakes/refusals/conversation.ts'
import { MAKERS } from './fakes/refusals/makers.ts'
import { sample } from './soak/sample.ts'

// Providers refuse conversations for their order, for ids and for members that the answers of another maker have. Every request
// of these conversations is checked against what its provider is known to refuse. `test/e2e/failures/provider-refusals.test.ts` sends
// some of them through real ports.

test('no provider refuses a conversation that another maker took part in', async () => {
  const talks = everyTalk(MAKERS)
  const refused: string[] = []
  for (const talk of someTalks(talks, sample(150, talks.length))) {
    const refusal = await play(talk, askWithoutPort).catch(String)
    if (refusal) refused.push(`${titleOf(talk)}: ${refusal}`)
  }
  assert.deepEqual(refused.slice(0, 20), [], `${refused.length} of ${talks.length}`)
})

test('no provider refuses a prompt in the format of text completions', () => {
  assert.deepEqual(
    MAKERS.map(refusalOfPrompt).filter((refusal) => refusal !== undefined),
    [],
  )
})

test('every rule has a public source', () => {
  for (const { rules } of MAKERS) for (const { rule, source } of rules) assert.match(source, /^https:\/\//, rule)
})
