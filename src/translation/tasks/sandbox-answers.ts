// Answers of tasks for which the example alone would be wrong: the answer repeats the input, names positions in a text, has one
// entry per input item, or contains a working link.
import type { Static, TSchema } from '../../base/schema/type.ts'
import tts from './audio/tts/feature.ts'
import { EXAMPLE_WAV } from './example-files.ts'
import type { Feature, Tools } from './feature.ts'
import imageAnonymization from './image/anonymization/feature.ts'
import backgroundRemoval from './image/background_removal/feature.ts'
import imageGeneration from './image/generation/feature.ts'
import { masked } from './fields/personal-data-categories.ts'
import { score } from './fields/score.ts'
import anonymization from './text/anonymization/feature.ts'
import customClassification from './text/custom_classification/feature.ts'
import customEntities from './text/custom_named_entity_recognition/feature.ts'
import embeddings from './text/embeddings/feature.ts'
import emotionDetection from './text/emotion_detection/feature.ts'
import entitySentiment from './text/entity_sentiment/feature.ts'
import search from './text/search/feature.ts'
import spellCheck from './text/spell_check/feature.ts'
import summarize from './text/summarize/feature.ts'
import automaticTranslation from './translation/automatic_translation/feature.ts'
import documentTranslation from './translation/document_translation/feature.ts'
import videoGeneration from './video/generation_async/feature.ts'
import batchScrape from './web/batch_scrape_async/feature.ts'
import crawl from './web/crawl_async/feature.ts'
import siteMap from './web/map/feature.ts'
import scraping from './web/scraping/feature.ts'
import webSearch from './web/search/feature.ts'
import structuredExtraction from './web/structured_extraction_async/feature.ts'

// A caller may request any number of dimensions for any number of texts.
const MAX_NUMBERS = 100_000
/** A simulated page is many times longer than its address, so a list of addresses must not become a list of pages of any length. */
const MAX_PAGES = 500
const TOO_MANY_PAGES = `the sandbox simulates at most ${MAX_PAGES} pages`

type Answer = (input: unknown, example: unknown, tools: Pick<Tools, 'keep'>) => unknown

export const SANDBOX_ANSWERS: ReadonlyMap<Feature, Answer> = new Map<Feature, Answer>([
  answer(emotionDetection, ({ text }, example) => ({ ...example, text })),
  answer(spellCheck, ({ text }, { items }) => ({
    text,
    items: foundIn(text, items, (item) => item.text).map(({ item, offset }) => ({ ...item, offset })),
  })),
  answer(entitySentiment, ({ text }, { items }) => ({
    items: foundIn(text, items, (item) => item.text).map(({ item, offset, end }) => {
      return { ...item, begin_offset: offset, end_offset: end }
    }),
  })),
  answer(anonymization, ({ text }, example) => {
    const found = foundIn(text, example.entities, (entity) => entity.content)
    const entities = found.map(({ item, offset }) => ({ ...item, offset }))
    return { result: masked(text, entities), entities }
  }),
  answer(customEntities, ({ text, entities }, { items }) => ({
    items: items.filter(({ entity, category }) => text.includes(entity) && entities.includes(category)),
  })),
  answer(summarize, ({ text, output_sentences }) => ({ result: firstSentences(text, output_sentences ?? 1) })),
  answer(embeddings, ({ texts, dimensions }, { items }) => {
    const numbers = items.flatMap((item) => item.embedding)
    const length = Math.min(dimensions ?? numbers.length, Math.ceil(MAX_NUMBERS / Math.max(1, texts.length)))
    return { items: texts.map((_, index) => ({ embedding: cycled(numbers, index, length) })) }
  }),
  answer(search, ({ texts }) => ({
    items: texts.map((_, document) => ({ object: 'search_result', document, score: score(1 / (document + 1)) })),
  })),
  answer(customClassification, ({ texts, labels }, { classifications: [first] }) => ({
    classifications: texts.map((input, index) => {
      return { input, label: labels[index % labels.length] ?? '', confidence: first!.confidence }
    }),
  })),
  answer(automaticTranslation, ({ text, target_language }) => ({ text: `[${target_language}] ${text}` })),
  answer(scraping, ({ url }, example) => ({ ...example, url })),
  answer(siteMap, ({ url }, example) => ({ ...example, url, base_url: url, links: onSite(url, example.links) })),
  answer(crawl, ({ url }, example) => ({ ...example, base_url: url, pages: onSite(url, example.pages) })),
  answer(batchScrape, ({ urls }, { pages }) => ({
    pages: urls.slice(0, MAX_PAGES).map((url) => ({ ...pages![0], url })),
    failed_results: urls.slice(MAX_PAGES).map((url) => ({ url, error: TOO_MANY_PAGES })),
    usage: { credits: Math.min(urls.length, MAX_PAGES) },
  })),
  answer(structuredExtraction, ({ urls }, example) => ({ ...example, sources: urls.map((url) => ({ url })) })),
  answer(webSearch, ({ query, max_results }, example) => ({
    ...example,
    query,
    results: example.results!.slice(0, max_results ?? undefined),
  })),
  answer(imageAnonymization, async (_, example, { keep }) => {
    return { ...example, image_resource_url: await keep(png(example.image)) }
  }),
  answer(backgroundRemoval, async (_, example, { keep }) => {
    return { ...example, image_resource_url: await keep(png(example.image_b64)) }
  }),
  answer(imageGeneration, async ({ num_images }, { items: [first] }, { keep }) => {
    const url = await keep(png(first!.image))
    return { items: Array.from({ length: num_images ?? 1 }, () => ({ ...first!, image_resource_url: url })) }
  }),
  answer(documentTranslation, async (_, example, { keep }) => {
    return { ...example, document_resource_url: await keep(file('sandbox.txt', 'text/plain', example.file)) }
  }),
  answer(tts, async (_, __, { keep }) => {
    return { audio_resource_url: await keep(file('sandbox.wav', 'audio/wav', EXAMPLE_WAV)) }
  }),
  answer(videoGeneration, async (_, example, { keep }) => {
    return { ...example, video_resource_url: await keep(file('sandbox.mp4', 'video/mp4', example.video)) }
  }),
])

function answer<Input extends TSchema, Output extends TSchema>(
  feature: Feature<Input, Output>,
  fit: (
    input: Static<Input>,
    example: Static<Output>,
    tools: Pick<Tools, 'keep'>,
  ) => Static<Output> | Promise<Static<Output>>,
): [Feature, Answer] {
  return [feature, fit as Answer]
}

/** Finds the entities of the example wherever they occur in the text. */
function foundIn<Item>(text: string, items: Item[], wordOf: (item: Item) => string) {
  let from = 0
  return items.flatMap((item) => {
    const offset = text.indexOf(wordOf(item), from)
    if (offset < 0) return []
    from = offset + wordOf(item).length
    return [{ item, offset, end: from }]
  })
}

function firstSentences(text: string, count: number): string {
  const sentences = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)
  return Iterator.from(sentences)
    .take(count)
    .map(({ segment }) => segment)
    .toArray()
    .join('')
    .trim()
}

function cycled(numbers: number[], start: number, length: number): number[] {
  return Array.from({ length }, (_, index) => numbers[(start + index) % numbers.length]!)
}

/** The example's pages with the host of the requested site. */
function onSite<Page extends { url: string }>(site: string, pages: Page[] | null | undefined): Page[] {
  const root = site.replace(/(?<!\/)\/+$/, '')
  return (pages ?? []).map((page) => ({ ...page, url: root + new URL(page.url).pathname.replace(/\/$/, '') }))
}

function png(base64: string) {
  return file('sandbox.png', 'image/png', base64)
}

function file(name: string, type: string, base64: string) {
  return { name, type, bytes: Buffer.from(base64, 'base64') }
}
