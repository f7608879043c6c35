import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static, TSchema } from '../../base/schema/type.ts'
import speechToText from './audio/speech_to_text_async/feature.ts'
import type { Feature, Result } from './feature.ts'
import { taskWith, toolsNoting } from './fixtures/task.ts'
import imageAiDetection from './image/ai_detection/feature.ts'
import faceCompare from './image/face_compare/feature.ts'
import imageGeneration from './image/generation/feature.ts'
import { FEATURES } from './index.ts'
import ocr from './ocr/ocr/feature.ts'
import resumeParser from './ocr/resume_parser/feature.ts'
import { sandboxAdapter } from './sandbox-adapter.ts'
import anonymization from './text/anonymization/feature.ts'
import customClassification from './text/custom_classification/feature.ts'
import embeddings from './text/embeddings/feature.ts'
import emotionDetection from './text/emotion_detection/feature.ts'
import moderation from './text/moderation/feature.ts'
import spellCheck from './text/spell_check/feature.ts'
import summarize from './text/summarize/feature.ts'
import topicExtraction from './text/topic_extraction/feature.ts'
import automaticTranslation from './translation/automatic_translation/feature.ts'
import videoGeneration from './video/generation_async/feature.ts'
import batchScrape from './web/batch_scrape_async/feature.ts'
import siteMap from './web/map/feature.ts'
import scraping from './web/scraping/feature.ts'
import webSearch from './web/search/feature.ts'

const FILE = 'https://example.com/file'

test('a task whose answer needs no fitting answers its example', async () => {
  const { output, original } = await ask(moderation, { text: 'Hello' })
  assert.deepEqual(output, moderation.example.output)
  assert.deepEqual(original, { simulated: true, output })
})

test('an answer can be changed without changing the example', async () => {
  const { output } = await ask(topicExtraction, { text: 'Hello' })
  output.items.length = 0
  assert.equal(topicExtraction.example.output.items.length, 2)
})

test('what repeats the input repeats it', async () => {
  assert.equal((await ask(emotionDetection, { text: 'Oh' })).output.text, 'Oh')
  assert.equal((await ask(webSearch, { query: 'q' })).output.query, 'q')
  assert.equal((await ask(scraping, { url: 'https://a.example' })).output.url, 'https://a.example')
  const { output } = await ask(automaticTranslation, { text: 'Hello', target_language: 'pt-BR' })
  assert.deepEqual(output, { text: '[pt-BR] Hello' })
})

test('places in a text are places in that text', async () => {
  const text = 'Dear Ada, is ada@mail.example yours, Ada?'
  const { result, entities } = (await ask(anonymization, { text })).output
  assert.equal(result, 'Dear ***, is **************** yours, Ada?')
  for (const { offset, length, content } of entities) assert.equal(text.slice(offset, offset + length), content)
  const { items } = (await ask(spellCheck, { text: 'I and yu' })).output
  assert.deepEqual(
    items.map((item) => item.offset),
    [6],
  )
  assert.deepEqual((await ask(spellCheck, { text: 'Fine.' })).output, { text: 'Fine.', items: [] })
})

test('what was asked for many times is answered as many times', async () => {
  const { items } = (await ask(embeddings, { texts: ['a', 'b', 'c'], dimensions: 20 })).output
  assert.deepEqual(
    items.map((item) => item.embedding.length),
    [20, 20, 20],
  )
  assert.equal((await ask(imageGeneration, { text: 'x', num_images: 3 })).output.items.length, 3)
  assert.equal((await ask(batchScrape, { urls: ['https://a', 'https://b'] })).output.pages?.length, 2)
  assert.equal((await ask(webSearch, { query: 'q', max_results: 1 })).output.results?.length, 1)
  const { output } = await ask(customClassification, { texts: ['a'], labels: ['l'], examples: [] })
  assert.deepEqual(output.classifications, [{ input: 'a', label: 'l', confidence: 0.91 }])
})

test('a caller cannot ask the sandbox for more numbers than fit into memory', async () => {
  const { items } = (await ask(embeddings, { texts: ['a', 'b'], dimensions: 1e15 })).output
  assert.equal(items[0]?.embedding.length, 50_000)
})

test('a site is the one that was asked for', async () => {
  const { links, base_url } = (await ask(siteMap, { url: 'https://site.example/shop/' })).output
  assert.equal(base_url, 'https://site.example/shop/')
  assert.equal(links?.[0]?.url, 'https://site.example/shop/about')
})

test('a summary has the first sentences', async () => {
  const text = 'One went up. Two came down.  Three stayed.'
  assert.equal((await ask(summarize, { text })).output.result, 'One went up.')
  assert.equal((await ask(summarize, { text, output_sentences: 2 })).output.result, 'One went up. Two came down.')
})

test('links to files lead to files that were kept', async () => {
  const kept: string[] = []
  const makers = FEATURES.filter((one) => JSON.stringify(one.output).includes('_resource_url"'))
  for (const one of makers) {
    const { output } = await ask(one, one.example.input, kept)
    assert.match(JSON.stringify(output), /_resource_url":"kept:/)
  }
  const png = 'sandbox.png image/png'
  const others = ['sandbox.txt text/plain', 'sandbox.wav audio/wav', 'sandbox.mp4 video/mp4']
  assert.deepEqual(kept, [png, png, png, ...others])
})

test('units are measured from the input', async () => {
  const request = [
    ask(moderation, { text: 'naïve 😀', language: 'en' }),
    ask(embeddings, { texts: ['abcd', 'efghi'] }),
    ask(webSearch, { query: 'anything' }),
    ask(batchScrape, { urls: ['https://a', 'https://b'] }),
    ask(ocr, { file: FILE }),
    ask(resumeParser, { file: FILE }),
    ask(faceCompare, { file1: FILE, file2: FILE }),
    ask(imageGeneration, { text: 'x', num_images: 4 }),
    ask(imageAiDetection, { file: FILE }),
    ask(speechToText, { file: FILE }),
    ask(videoGeneration, { text: 'x' }),
    ask(videoGeneration, { text: 'x', duration: 8 }),
  ]
  const units = (await Promise.all(request)).map((result) => result.units)
  assert.deepEqual(units, [7, 3, 1, 2, 3, 1, 1, 4, 1, 60, 6, 8])
})

async function ask<Input extends TSchema, Output extends TSchema>(
  feature: Feature<Input, Output>,
  input: Static<Input>,
  kept: string[] = [],
): Promise<Result<Static<Output>>> {
  return (await sandboxAdapter(feature).run(taskWith(input), toolsNoting(kept))) as Result<Static<Output>>
}
