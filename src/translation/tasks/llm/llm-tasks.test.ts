import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from '../../../base/schema/type.ts'
import { issues } from '../../../base/schema/validation-issues.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'
import { fileOf, taskOf } from '../http/fixtures/recording.ts'
import { contentCategoryOf } from '../fields/content-categories.ts'
import type { TaskFile } from '../feature.ts'
import { FEATURES } from '../index.ts'
import identityParser from '../ocr/identity_parser/feature.ts'
import ocr from '../ocr/ocr/feature.ts'
import anonymization from '../text/anonymization/feature.ts'
import moderation from '../text/moderation/feature.ts'
import namedEntityRecognition from '../text/named_entity_recognition/feature.ts'
import spellCheck from '../text/spell_check/feature.ts'
import topicExtraction from '../text/topic_extraction/feature.ts'
import languageDetection from '../translation/language_detection/feature.ts'
import { completionOf, modelAnswering } from './fixtures/completion.ts'
import { outputOf } from './fixtures/output-of.ts'
import { perfectAnswer } from './fixtures/perfect-answer.ts'
import { isLlmTask } from './llm-tasks.ts'
import { runLlmTask } from './run-llm-task.ts'
import { MODERATION_LABELS } from './text-tasks.ts'

const NO_BOX = { left: null, top: null, width: null, height: null }

for (const feature of FEATURES.filter(isLlmTask)) {
  test(`${feature.feature}/${feature.subfeature}: a perfect answer becomes the output at the first ask`, async () => {
    const input = feature.example.input as Record<string, unknown>
    const files: Record<string, TaskFile> = input.file ? { file: fileOf('a.png', 'image/png', 'x') } : {}
    const { ask, requested: answer } = modelAnswering(perfectAnswer(feature))
    const { output, units, original } = await runLlmTask(feature, taskOf(input, { files }), 'acme/m', ask)
    assert.deepEqual(issues(feature.output as JsonSchema, output, []), [])
    assert.deepEqual(
      output,
      feature === ocr ? linesWithoutPlaces('MIND THE GAP') : withOwnLabels(feature.example.output),
    )
    assert.deepEqual([answer.length, answer[0]?.model, units], [1, 'acme/m', 120])
    assert.deepEqual(original, completionOf(perfectAnswer(feature)))
  })
}

test('scores are brought back to their scale', async () => {
  const items = [
    { entity: 'Ada', category: 'PERSON', importance: 87 },
    { entity: 'Rome', category: 'LOCATION', importance: -3 },
    { entity: 'Oslo', category: 'LOCATION', importance: 0.123456 },
  ]
  const found = await outputOf(namedEntityRecognition, { text: 'Ada left Rome for Oslo' }, { items })
  assert.deepEqual(
    found.items.map(({ importance }) => importance),
    [1, 0, 0.1235],
  )
  const topics = [
    { category: 'A', importance: 0.1 },
    { category: 'B', importance: 4.567 },
    { category: 'C', importance: 0.4567 },
  ]
  assert.deepEqual((await outputOf(topicExtraction, { text: 'x' }, { items: topics })).items, [
    { category: 'B', importance: 1 },
    { category: 'C', importance: 0.46 },
    { category: 'A', importance: 0.1 },
  ])
  const languages = [
    { language: 'fr', display_name: 'French', confidence: null },
    { language: 'it', display_name: 'Italian', confidence: 1.2 },
  ]
  assert.equal((await outputOf(languageDetection, { text: 'x' }, { items: languages })).items[0]?.confidence, 1)
})

test('moderation: likelihoods, categories and the worst of all are ours', async () => {
  const items = [
    { label: 'sexual', likelihood_score: 0.05, likelihood: 5, category: 'Safe', subcategory: 'Safe' },
    { label: 'insult', likelihood_score: 1.7 },
    { label: 'sexual', likelihood_score: 0.4 },
    { label: 'sexual/minors', likelihood_score: 0.2 },
  ]
  const lies = { nsfw_likelihood: 0, nsfw_likelihood_score: 0, items }
  assert.deepEqual(await outputOf(moderation, { text: 'x' }, lies), {
    nsfw_likelihood: 5,
    nsfw_likelihood_score: 1,
    items: [
      { label: 'insult', likelihood_score: 1, likelihood: 5, category: 'Toxic', subcategory: 'Insult' },
      { label: 'sexual', likelihood_score: 0.4, likelihood: 2, category: 'Sexual', subcategory: 'Sexual' },
      { label: 'sexual/minors', likelihood_score: 0.2, likelihood: 1, category: 'Sexual', subcategory: null },
    ],
  })
  const none = { nsfw_likelihood: 0, nsfw_likelihood_score: 0, items: [] }
  assert.deepEqual(await outputOf(moderation, { text: 'x' }, { items: [] }), none)
})

test('moderation: every label that a model may use has its category', () => {
  for (const label of MODERATION_LABELS) {
    assert.ok(contentCategoryOf(label).subcategory !== null || label === 'sexual/minors', label)
  }
})

test('spell check: the text and the places are ours', async () => {
  const text = 'Teh cat saw teh cat, and 😀 teh end.'
  const wrong = { type: 'spelling', suggestions: [{ suggestion: 'the', score: 3 }], offset: 99, length: -1 }
  const items = [
    { text: 'teh', ...wrong },
    { text: 'Teh', ...wrong },
    { text: 'teh', ...wrong },
    { text: 'dgo', ...wrong },
  ]
  const checked = await outputOf(spellCheck, { text }, { text: 'Something else', items })
  assert.equal(checked.text, text)
  assert.deepEqual(
    checked.items.map(({ text, offset, length }) => [text, offset, length]),
    [
      ['Teh', 0, 3],
      ['teh', 12, 3],
      ['teh', 28, 3],
    ],
  )
  for (const item of checked.items) assert.equal(text.slice(item.offset, item.offset + item.length), item.text)
  assert.deepEqual(checked.items[0]?.suggestions, [{ suggestion: 'the', score: 1 }])
})

test('entities are as the text has them, in its order', async () => {
  const items = ["L'Oréal", 'Curie', 'Atlantis'].map((entity) => ({ entity, category: 'X', importance: 1 }))
  const found = await outputOf(namedEntityRecognition, { text: 'Curie works at L’Oréal.' }, { items })
  assert.deepEqual(
    found.items.map(({ entity }) => entity),
    ['Curie', 'L’Oréal'],
  )
})

test('anonymization: what was found is hidden everywhere, and places and categories are ours', async () => {
  const text = 'Ada (ada@mail.example) and Adam: Ada.'
  const entities = [
    { content: 'ada@mail.example', subcategory: 'Email', confidence_score: 2, category: 'Other', offset: 1, length: 1 },
    { content: 'Ada', subcategory: 'Name', confidence_score: null },
  ]
  const { result, entities: found } = await outputOf(anonymization, { text }, { result: text, entities })
  assert.equal(result, '*** (****************) and Adam: ***.')
  assert.deepEqual(
    found.map(({ offset, category, subcategory }) => [offset, category, subcategory]),
    [
      [0, 'PersonalInformation', 'Name'],
      [5, 'PersonalInformation', 'Email'],
      [33, 'PersonalInformation', 'Name'],
    ],
  )
  for (const { offset, length, content } of found) assert.equal(text.slice(offset, offset + length), content)
})

test('anonymization: what cannot be found again is mended, or fails', async () => {
  const wrong = { entities: [{ content: 'Ada Lovelace', subcategory: 'Name', confidence_score: 1 }] }
  const right = { entities: [{ content: 'Ada', subcategory: 'Name', confidence_score: 1 }] }
  const task = taskOf({ text: 'Ask Ada.' })
  const { ask, requested: answer } = modelAnswering(wrong, right)
  const mended = (await runLlmTask(anonymization, task, 'm', ask)).output as Static<typeof anonymization.output>
  assert.equal(mended.result, 'Ask ***.')
  assert.match(String(answer[1]?.messages.at(-1)?.content), /- entities\.0\.content: Copy this letter by letter/)
  await assert.rejects(runLlmTask(anonymization, task, 'm', modelAnswering(wrong, wrong).ask), { kind: 'garbage' })
})

test('ocr: the lines are given without places', async () => {
  const answer = { text: 'MIND\r\n\nTHE GAP', bounding_boxes: [{ text: 'X', left: 9, top: 9, width: 9, height: 9 }] }
  assert.deepEqual(await outputOf(ocr, { file: 'https://example.com/a.png' }, answer), linesWithoutPlaces(answer.text))
})

test('identity: no pictures, and names and codes are written one way', async () => {
  const [known] = structuredClone(identityParser.example.output.extracted_data)
  const options = {
    ...known!,
    last_name: { value: 'Martin', confidence: 1.5 },
    country: { name: 'France', alpha2: 'FR', alpha3: 'FRA', confidence: null },
    image_id: [{ value: 'made up', confidence: 1 }],
  }
  const { extracted_data } = await outputOf(
    identityParser,
    { file: 'https://example.com/a.png' },
    { extracted_data: [options] },
  )
  const [read] = extracted_data
  assert.deepEqual(read?.last_name, { value: 'MARTIN', confidence: 1 })
  assert.deepEqual([read?.country?.alpha2, read?.country?.alpha3, read?.image_id], ['fr', 'fra', []])
})

function linesWithoutPlaces(text: string) {
  const lines = text.split(/\s*\n\s*/)
  return { text, bounding_boxes: lines.map((line) => ({ text: line, ...NO_BOX })) }
}

/** A model has no name of its own for what it finds: it uses ours. */
function withOwnLabels(example: unknown): unknown {
  const { entities } = example as { entities?: { subcategory: string }[] }
  if (!entities) return example
  return { ...(example as object), entities: entities.map((one) => ({ ...one, original_label: one.subcategory })) }
}
