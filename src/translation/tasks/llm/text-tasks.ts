import Type from '../../../base/schema/type.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { words } from '../../../base/schema/fields.ts'
import { closedObject } from '../closed-object.ts'
import { contentCategoryOf } from '../fields/content-categories.ts'
import type { Feature } from '../feature.ts'
import { likelihoodOf, worstOf } from '../fields/likelihood.ts'
import { masked, personalDataCategoryOf } from '../fields/personal-data-categories.ts'
import { scoreField } from '../fields/score.ts'
import anonymization from '../text/anonymization/feature.ts'
import keywordExtraction from '../text/keyword_extraction/feature.ts'
import moderation from '../text/moderation/feature.ts'
import namedEntityRecognition from '../text/named_entity_recognition/feature.ts'
import sentimentAnalysis from '../text/sentiment_analysis/feature.ts'
import spellCheck from '../text/spell_check/feature.ts'
import summarize from '../text/summarize/feature.ts'
import topicExtraction from '../text/topic_extraction/feature.ts'
import automaticTranslation from '../translation/automatic_translation/feature.ts'
import languageDetection from '../translation/language_detection/feature.ts'
import { type LlmTask, llmTask, plainTask } from './llm-task.ts'
import { withSpans, withAllSpans, spanFinder } from './places.ts'

/** Category names that other providers share, so that a model's findings sort like theirs. */
export const MODERATION_LABELS = [
  'insult',
  'obscene',
  'toxic',
  'offensive',
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'extremist',
  'sexual',
  'sexual/minors',
  'suggestive',
  'violence',
  'violence/graphic',
  'weapons',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'illicit drugs',
  'gambling',
] as const

const FindingAnswer = closedObject({
  label: words([...MODERATION_LABELS], { description: 'What kind of content it is.' }),
  likelihood_score: scoreField('How surely the text contains it, from 0 to 1.'),
})

const MistakeAnswer = Type.Omit(spellCheck.output.properties.items.items, ['offset', 'length'])
const EntityAnswer = Type.Pick(anonymization.output.properties.entities.items, [
  'content',
  'subcategory',
  'confidence_score',
])

export const TEXT_TASKS: [Feature, LlmTask][] = [
  llmTask(moderation, {
    instructions: `Judge which kinds of unwanted content the text contains. Give one entry per label that applies even
slightly, each label at most once, with a score from 0 (not there) to 1 (certainly there). Judge what the text says or does,
not what it merely reports or condemns. Give an empty list for a harmless text.`,
    answerSchema: closedObject({ items: Type.Array(FindingAnswer) }),
    complete({ items }) {
      const best = new Map(
        items
          .toSorted(byScore)
          .toReversed()
          .map((item) => [item.label, item]),
      )
      const found = [...best.values()].sort(byScore).map((item) => {
        return { ...item, likelihood: likelihoodOf(item.likelihood_score), ...contentCategoryOf(item.label) }
      })
      return { ...worstOf(found), items: found }
    },
  }),
  llmTask(namedEntityRecognition, {
    instructions: `List what the text names: people, places, organisations, products, works, events, dates, amounts. Copy
\`entity\` letter by letter from the text. \`category\` is one word in capitals: PERSON, LOCATION, ORGANIZATION, PRODUCT, WORK,
EVENT, DATE, TIME, QUANTITY, MONEY or OTHER. \`importance\` is how sure you are, from 0 to 1. Keep the order of the text.`,
    answerSchema: namedEntityRecognition.output,
    complete: ({ items }, { input: { text } }) => ({
      items: withSpans(text, items, (item) => item.entity).map(({ item, offset, length }) => {
        return { ...item, entity: text.slice(offset, offset + length) }
      }),
    }),
  }),
  llmTask(topicExtraction, {
    instructions: `Say what the text is about, in at most ten topics. \`category\` is a topic of one to four English words
with capitals as in a title. \`importance\` is how much of the text is about it, from 0 to 1.`,
    answerSchema: topicExtraction.output,
    complete: ({ items }) => ({
      items: items
        .toSorted(byImportance)
        .map((item) => ({ ...item, importance: Math.round(item.importance * 100) / 100 })),
    }),
  }),
  plainTask(
    sentimentAnalysis,
    `Say how the text sounds: Positive, Negative or Neutral, first as a whole, then passage by passage. A passage is mostly
one sentence; copy \`segment\` letter by letter from the text. Of mixed sentiment, name the stronger side, not Neutral. A rate
is how strongly it sounds so, from 0 to 1.`,
  ),
  llmTask(keywordExtraction, {
    instructions: `Pick the words and short phrases that matter most in the text, at most twenty, in the language and the
spelling of the text. \`importance\` is how much each matters, from 0 to 1.`,
    answerSchema: keywordExtraction.output,
    complete: ({ items }) => ({ items: items.toSorted(byImportance) }),
  }),
  plainTask(
    summarize,
    `Sum the text up in as many sentences as the setting \`output_sentences\` says, or in one where it says nothing. Write in
the language of the text. Say only what the text says.`,
  ),
  llmTask(spellCheck, {
    instructions: `Find the mistakes of spelling and grammar in the text. Copy \`text\` letter by letter: only the word or
phrase that is wrong. Name a mistake once for each time it stands in the text, in the order of the text. \`type\` is spelling,
grammar, punctuation, casing or style. Give up to three suggestions, best first, each with a score from 0 to 1. Leave
correct words, names and other languages alone. Give an empty list for a text without mistakes.`,
    answerSchema: closedObject({ items: Type.Array(MistakeAnswer) }),
    complete: ({ items }, { input: { text } }) => ({
      text,
      items: withSpans(text, items, (item) => item.text).map(({ item, offset, length }) => {
        return { ...item, text: text.slice(offset, offset + length), offset, length }
      }),
    }),
  }),
  plainTask(
    automaticTranslation,
    `Translate the whole text into the language that the setting \`target_language\` names by its code; \`source_language\`,
where given, is the language it is in. Keep line breaks, lists, markup, numbers and names. Add nothing and leave nothing out.`,
  ),
  llmTask(languageDetection, {
    instructions: `Say in which language the text is written, with up to three answers, likeliest first. \`language\` is the ISO
639-1 code in small letters (or ISO 639-3 where there is none), with a region only where it is plain, as in pt-BR.
\`display_name\` is its English name. \`confidence\` is from 0 to 1.`,
    answerSchema: languageDetection.output,
    complete: ({ items }) => ({
      items: items.toSorted((one, other) => (other.confidence ?? 0) - (one.confidence ?? 0)),
    }),
  }),
  llmTask(anonymization, {
    instructions: `Find everything in the text by which a person could be identified or harmed: names, addresses, numbers of
documents, accounts and cards, contacts, keys and passwords, dates of birth and the like. Copy \`content\` letter by letter from
the text. Name each different content once; it will be hidden wherever it stands. \`confidence_score\` is from 0 to 1. When in
doubt, list it.`,
    answerSchema: closedObject({ entities: Type.Array(EntityAnswer) }),
    // An entity that is not found in the text would stay readable: no answer is better than an incomplete one.
    rules({ entities }, { input: { text } }) {
      const find = spanFinder(text)
      return entities.flatMap(({ content }, index) => {
        const isThere = find(content).length > 0
        return isThere ? [] : [valueError(['entities', index, 'content'], 'Copy this letter by letter from the text')]
      })
    },
    complete({ entities }, { input: { text } }) {
      const found = withAllSpans(text, entities, (entity) => entity.content).map(({ item, offset, length }) => ({
        offset,
        length,
        category: personalDataCategoryOf(item.subcategory),
        subcategory: item.subcategory,
        original_label: item.subcategory,
        content: text.slice(offset, offset + length),
        confidence_score: item.confidence_score,
      }))
      return { result: masked(text, found), entities: found }
    },
  }),
]

function byScore(one: { likelihood_score: number }, other: { likelihood_score: number }): number {
  return other.likelihood_score - one.likelihood_score
}

function byImportance(one: { importance: number | null }, other: { importance: number | null }): number {
  return (other.importance ?? 0) - (one.importance ?? 0)
}
