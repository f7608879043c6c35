import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from '../../../base/schema/type.ts'
import { taskOf } from '../http/fixtures/recording.ts'
import codeGeneration from '../text/code_generation/feature.ts'
import customClassification from '../text/custom_classification/feature.ts'
import customEntities from '../text/custom_named_entity_recognition/feature.ts'
import emotionDetection from '../text/emotion_detection/feature.ts'
import entitySentiment from '../text/entity_sentiment/feature.ts'
import promptOptimization from '../text/prompt_optimization/feature.ts'
import questionAnswer from '../text/question_answer/feature.ts'
import { completionOf, modelAnswering } from './fixtures/completion.ts'
import { outputOf } from './fixtures/output-of.ts'
import { runLlmTask } from './run-llm-task.ts'
import { toChatRequest } from './to-chat-request.ts'

const SPAM = { texts: ['Win!', 'Lunch?'], labels: ['Spam', 'Not spam'], examples: [] }

test('classification: the texts and the spelling of the labels are the caller’s', async () => {
  const classifications = [
    { number: 2, label: 'not spam', confidence: 7, input: 'something else' },
    { number: 1, label: ' Spam ', confidence: -1 },
  ]
  assert.deepEqual(await outputOf(customClassification, SPAM, { classifications }), {
    classifications: [
      { input: 'Win!', label: 'Spam', confidence: 0 },
      { input: 'Lunch?', label: 'Not spam', confidence: 1 },
    ],
  })
})

const WRONG_LABELS: Record<string, [answer: object[], issue: RegExp]> = {
  'an invented label': [[entry(1, 'Spam'), entry(2, 'Ham')], /- classifications\.1\.label: Copy this/],
  'a missing text': [[entry(1, 'Spam')], /- classifications: Give one entry for each of the 2 texts/],
  'a text twice': [[entry(1, 'Spam'), entry(1, 'Not spam')], /Give one entry for each/],
  'a text too many': [[entry(1, 'Spam'), entry(2, 'Spam'), entry(3, 'Spam')], /Give one entry for each/],
  'another text': [[entry(1, 'Spam'), entry(9, 'Spam')], /Give one entry for each/],
}
for (const [what, [classifications, issue]] of Object.entries(WRONG_LABELS)) {
  test(`classification: ${what} is mended, or fails`, async () => {
    const right = { classifications: [entry(1, 'Spam'), entry(2, 'Not spam')] }
    const { ask, requested } = modelAnswering({ classifications }, right)
    const { units } = await runLlmTask(customClassification, taskOf(SPAM), 'm', ask)
    assert.equal(units, 240)
    assert.match(String(requested[1]?.messages.at(-1)?.content), issue)
    const twice = modelAnswering({ classifications }, { classifications })
    await assert.rejects(runLlmTask(customClassification, taskOf(SPAM), 'm', twice.ask), { kind: 'garbage' })
  })
}

test('custom entities: only of the named kinds, and as the text has them, in its order', async () => {
  const input = { text: 'Café and tea, then tea', entities: ['Drink'] }
  const items = [
    { entity: 'tea', category: 'drink' },
    { entity: 'tea', category: 'Drink' },
    { entity: 'milk', category: 'Drink' },
    { entity: 'Café', category: 'Drink' },
  ]
  assert.deepEqual((await outputOf(customEntities, input, { items })).items, [
    { entity: 'Café', category: 'Drink' },
    { entity: 'tea', category: 'Drink' },
    { entity: 'tea', category: 'Drink' },
  ])
  const other = { items: [{ entity: 'tea', category: 'Food' }] }
  await assert.rejects(runLlmTask(customEntities, taskOf(input), 'm', modelAnswering(other, other).ask), {
    message: /items\.0\.category: Copy this/,
  })
})

test('emotions: the text is ours, each emotion counts once, strongest first, from 0 to 100', async () => {
  const items = [
    { emotion: 'Fear', score: 0.21 },
    { emotion: 'Anger', score: 5 },
    { emotion: 'Fear', score: 0.333333 },
  ]
  assert.deepEqual(await outputOf(emotionDetection, { text: 'No!' }, { text: 'Yes', items }), {
    text: 'No!',
    items: [
      { emotion: 'Anger', emotion_score: 100 },
      { emotion: 'Fear', emotion_score: 33.33 },
    ],
  })
})

test('entity sentiment: positions are found in the text, whatever the model says', async () => {
  const text = '😀 The screen is fine; the screen is dim.'
  const item = { type: 'PRODUCT', text: 'screen', begin_offset: 1, end_offset: 99 }
  const items = [
    { ...item, sentiment: 'Positive' },
    { ...item, sentiment: 'Negative' },
    { ...item, text: 'keyboard', sentiment: 'Mixed' },
  ]
  const found = (await outputOf(entitySentiment, { text }, { items })).items
  assert.deepEqual(
    found.map(({ sentiment, begin_offset }) => [sentiment, begin_offset]),
    [
      ['Positive', 7],
      ['Negative', 27],
    ],
  )
  for (const one of found) assert.equal(text.slice(one.begin_offset!, one.end_offset!), 'screen')
})

test('answers: blank ones are none, and no answer in the texts is an empty list', async () => {
  const input = { texts: ['a', 'b'], question: 'Who?' }
  assert.deepEqual(await outputOf(questionAnswer, input, { answers: ['Ada', ' '] }), { answers: ['Ada'] })
  assert.deepEqual(await outputOf(questionAnswer, input, { answers: [] }), { answers: [] })
})

test('code: without a fence, never empty, and never cut', async () => {
  const input = { instruction: 'Print 1' }
  const fenced = await outputOf(codeGeneration, input, { generated_text: '```js\nprint(1)\n```\n' })
  assert.deepEqual(fenced, { generated_text: 'print(1)' })
  const inside = { generated_text: '# ```\nprint(1)\n' }
  assert.deepEqual(await outputOf(codeGeneration, input, inside), inside)
  const empty = modelAnswering({ generated_text: ' ' }, { generated_text: 'print(1)' })
  const mended = (await runLlmTask(codeGeneration, taskOf(input), 'm', empty.ask)).output
  assert.deepEqual(mended, { generated_text: 'print(1)' })
  const cut = completionOf('{"generated_text": "pri', { finish_reason: 'length' })
  await assert.rejects(runLlmTask(codeGeneration, taskOf(input), 'm', modelAnswering(cut).ask), {
    kind: 'context_length',
    message: /max_tokens/,
  })
})

test('prompts: at least one, and no blank ones', async () => {
  const input = { text: 'Write about bees', target_provider: 'openai' }
  const none = { missing_information: '', items: [{ text: '' }] }
  const some = { missing_information: '', items: [{ text: '' }, { text: 'Better' }] }
  const { ask, requested } = modelAnswering(none, some)
  const output = (await runLlmTask(promptOptimization, taskOf(input), 'm', ask)).output as Static<
    typeof promptOptimization.output
  >
  assert.deepEqual([output.items, requested.length], [[{ text: 'Better' }], 2])
})

test('temperature and length are fields of the chat, with the defaults of the task', async () => {
  const code = await toChatRequest(codeGeneration, taskOf({ instruction: 'x', max_tokens: 50 }), 'm')
  assert.deepEqual([code.temperature, code.max_tokens], [0, 50])
  assert.equal(code.messages[1]?.content, 'Settings: {"instruction":"x"}')
  const usual = await toChatRequest(codeGeneration, taskOf({ instruction: 'x', temperature: null }), 'm')
  assert.deepEqual([usual.temperature, usual.max_tokens], [0, 1_000])
  const warm = taskOf({ texts: ['a'], question: 'x', temperature: 0.5 })
  const asked = await toChatRequest(questionAnswer, warm, 'm')
  assert.deepEqual([asked.temperature, asked.max_tokens], [0.5, undefined])
  const params = { temperature: 0.9 }
  assert.equal((await toChatRequest(questionAnswer, { ...warm, params }, 'm')).temperature, 0.9)
})

function entry(number: number, label: string) {
  return { number, label, confidence: 0.5 }
}
