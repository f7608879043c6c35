import Type from '../../../base/schema/type.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { words } from '../../../base/schema/fields.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { closedObject } from '../closed-object.ts'
import type { Feature } from '../feature.ts'
import { score, scoreField } from '../fields/score.ts'
import customClassification from '../text/custom_classification/feature.ts'
import customEntities from '../text/custom_named_entity_recognition/feature.ts'
import emotionDetection from '../text/emotion_detection/feature.ts'
import entitySentiment from '../text/entity_sentiment/feature.ts'
import { type LlmTask, llmTask } from './llm-task.ts'
import { withSpans } from './places.ts'

// Tasks in which a model sorts texts, or parts of a text, into kinds.

const EMOTIONS = [
  ...['Happiness', 'Love', 'Pride', 'Hope', 'Gratitude', 'Amusement', 'Surprise', 'Sadness', 'Anger', 'Fear'],
  ...['Disgust', 'Shame', 'Contempt', 'Frustration', 'Confusion'],
]

const LabelAnswer = closedObject({
  number: Type.Integer({ minimum: 1, description: 'The number of the text.' }),
  label: Type.String({ description: 'The label that fits the text best.' }),
  confidence: scoreField('How sure you are, from 0 to 1.'),
})
const EmotionAnswer = closedObject({
  emotion: words(EMOTIONS, { description: 'The emotion.' }),
  score: scoreField('How strong it is, from 0 to 1.'),
})
const SentimentAnswer = Type.Pick(entitySentiment.output.properties.items.items, ['type', 'text', 'sentiment'])

export const CLASSIFICATION_TASKS: [Feature, LlmTask][] = [
  llmTask(customClassification, {
    instructions: `Give every text the label that fits it best. Copy \`label\` letter by letter from the list of the setting
\`labels\`. \`number\` is the number in the name of the text's tags. Give one entry per text, for all texts, in their order. The
setting \`examples\` has pairs of a text and its right label.`,
    answerSchema: closedObject({ classifications: Type.Array(LabelAnswer) }),
    rules: ({ classifications }, { input: { texts, labels } }) => [
      ...notListed({ classifications }, 'label', labels),
      ...notOncePerText(classifications, texts.length),
    ],
    complete({ classifications }, { input: { texts, labels } }) {
      const ofText = new Map(classifications.map((one) => [one.number, one]))
      const spelled = spelling(labels)
      return {
        classifications: texts.map((input, index) => {
          const { label, confidence } = ofText.get(index + 1)!
          return { input, label: spelled(label)!, confidence }
        }),
      }
    },
  }),
  llmTask(customEntities, {
    instructions: `Find everything in the text that is of a kind from the list of the setting \`entities\`. Copy \`entity\` letter by
letter from the text, once for each time it is mentioned, in the order of the text. Copy \`category\` letter by letter from the
list. The setting \`examples\` shows what should be found in other texts. Give an empty list if there is nothing of these kinds.`,
    answerSchema: customEntities.output,
    rules: ({ items }, { input: { entities } }) => notListed({ items }, 'category', entities),
    complete({ items }, { input: { text, entities } }) {
      const spelled = spelling(entities)
      const found = withSpans(text, items, (item) => item.entity)
      return {
        items: found.map(({ item, offset, length }) => {
          return { entity: text.slice(offset, offset + length), category: spelled(item.category)! }
        }),
      }
    },
  }),
  llmTask(emotionDetection, {
    instructions: `Say which emotions the author of the text expresses, each at most once, and how strong each is, from 0 to 1.
Give an empty list for a text without emotions.`,
    answerSchema: closedObject({ items: Type.Array(EmotionAnswer) }),
    complete({ items }, { input: { text } }) {
      const rising = items.toSorted((one, other) => one.score - other.score)
      const strongest = new Map(rising.map((item) => [item.emotion, item.score]))
      const found = [...strongest].sort(([, one], [, other]) => other - one)
      return { text, items: found.map(([emotion, strength]) => ({ emotion, emotion_score: percentOf(strength) })) }
    },
  }),
  llmTask(entitySentiment, {
    instructions: `List what the text names or judges: people, places, organisations, products and their properties. Copy \`text\`
letter by letter from the text, once for each mention, in the order of the text. \`type\` is one word in capitals: PERSON,
LOCATION, ORGANIZATION, PRODUCT, WORK, EVENT, DATE, ATTRIBUTE or OTHER. \`sentiment\` is what the text expresses about this one
mention: Positive, Negative, Neutral, or Mixed if it is both positive and negative.`,
    answerSchema: closedObject({ items: Type.Array(SentimentAnswer) }),
    complete: ({ items }, { input: { text } }) => ({
      items: withSpans(text, items, (item) => item.text).map(({ item, offset, length }) => {
        const end_offset = offset + length
        return { ...item, text: text.slice(offset, end_offset), begin_offset: offset, end_offset }
      }),
    }),
  }),
]

/** Finds the caller's own spelling of a word that a model has copied. */
function spelling(list: readonly string[]): (word: string) => string | undefined {
  const exact = new Set(list)
  const folded = new Map(list.toReversed().map((one) => [plain(one), one]))
  return (word) => (exact.has(word) ? word : folded.get(plain(word)))
}

function plain(text: string): string {
  return text.trim().toLowerCase()
}

/** The issues name the one list of entries, and those whose word is not in the caller's list. */
function notListed<Field extends string>(
  entries: Record<string, readonly Record<Field, string>[]>,
  field: Field,
  list: readonly string[],
): ValidationIssue[] {
  const spelled = spelling(list)
  return Object.entries(entries).flatMap(([name, items]) => {
    const unknown = [...items.entries()].filter(([, item]) => spelled(item[field]) === undefined)
    return unknown.map(([index]) => valueError([name, index, field], 'Copy this letter by letter from the list'))
  })
}

function notOncePerText(entries: readonly { number: number }[], count: number): ValidationIssue[] {
  const numbers = new Set(entries.map(({ number }) => number).filter((number) => number <= count))
  const isWhole = entries.length === count && numbers.size === count
  return isWhole ? [] : [valueError(['classifications'], `Give one entry for each of the ${count} texts`)]
}

/** This task alone has its scores from 0 to 100. */
function percentOf(strength: number): number {
  return Math.round(score(strength) * 10_000) / 100
}
