import type { Family } from './family.ts'
import { area, geminiTiles, patches, tiles } from './image-rules.ts'
import { claudeTools, openaiTools, plainTools } from './tool-rules.ts'

// Tokenizers by the name of the model: a model is the same at every host. Where a maker publishes nothing, the factors and the
// overheads are measured on recorded requests; docs/tokens.md shows their errors.

const OTHERS: Family = {
  vocabulary: 'o200k_base',
  factor: 1.1,
  base: 3,
  perMessage: 4,
  perSystem: 4,
  perToolUse: 8,
  perToolResult: 4,
  tools: plainTools,
  image: area(1_568, 1_600),
  perPdfPage: 2_000,
}

const OPENAI: Family = { ...OTHERS, factor: 1, tools: openaiTools(7), image: tiles(85, 170), perPdfPage: 2_765 }
const OLD_OPENAI: Family = { ...OPENAI, vocabulary: 'cl100k_base', tools: openaiTools(10) }
/** The prompt always starts with a page about channels and effort. */
const GPT_OSS: Family = { ...OPENAI, base: 70 }

const OLD_CLAUDE: Family = {
  ...OTHERS,
  factor: 1.07,
  perSystem: 0,
  perToolUse: 30,
  perToolResult: 12,
  tools: claudeTools({ auto: 346, none: 346, any: 313, tool: 313 }),
  perPdfPage: 3_600,
}
const CLAUDE_4_5: Family = { ...OLD_CLAUDE, tools: claudeTools({ auto: 340, none: 525, any: 615, tool: 615 }) }
const CLAUDE_4_7: Family = { ...CLAUDE_4_5, factor: 1.35, image: area(2_576, 4_784), perPdfPage: 5_500 }

const GEMINI_2: Family = {
  ...OTHERS,
  factor: 1.02,
  base: 0,
  perMessage: 0,
  perSystem: 0,
  image: geminiTiles,
  perPdfPage: 258,
}
const GEMINI: Family = { ...GEMINI_2, image: () => 1_120, perPdfPage: 560 }

/** Models whose vocabularies are derived from this one. */
const FROM_CL100K: Family = { ...OTHERS, vocabulary: 'cl100k_base', factor: 1.05 }
/** The template adds two dates to every prompt. */
const LLAMA: Family = { ...FROM_CL100K, base: 26 }
const MISTRAL: Family = { ...OTHERS, factor: 1.05 }

/** The first family that matches the name, or else a general one. */
const BY_NAME: [RegExp, Family][] = [
  [/claude-(fable|mythos|opus-4[-.][789](?!\d)|(opus|sonnet|haiku)-([5-9]|\d\d)(?!\d))/, CLAUDE_4_7],
  [/claude-(opus|sonnet|haiku)-4[-.][56](?!\d)/, CLAUDE_4_5],
  [/claude/, OLD_CLAUDE],
  [/gpt-oss/, GPT_OSS],
  [/gpt-4o-mini/, { ...OPENAI, image: tiles(2_833, 5_667) }],
  [/gpt-4\.1-mini|gpt-5-mini/, { ...OPENAI, image: patches(1.62) }],
  [/gpt-4\.1-nano|gpt-5-nano/, { ...OPENAI, image: patches(2.46) }],
  [/\bo4-mini/, { ...OPENAI, image: patches(1.72) }],
  [/gpt-4o|gpt-4\.[15]/, OPENAI],
  [/\bo[13]\b/, { ...OPENAI, image: tiles(75, 150) }],
  [/gpt-5(\.1)?(?![.\d])/, { ...OPENAI, image: tiles(70, 140) }],
  [/computer-use-preview/, { ...OPENAI, image: tiles(65, 129) }],
  [/gpt-4|gpt-3\.5|text-embedding/, OLD_OPENAI],
  [/\bgpt-|chat-latest|codex|\bo\d/, { ...OPENAI, image: patches(1.2) }],
  [/gemini-(embedding-001|[12])/, GEMINI_2],
  [/gemini|gemma/, GEMINI],
  [/llama/, LLAMA],
  [/qwen|qwq|qvq/, FROM_CL100K],
  [/mi[sx]tral|ministral|codestral|devstral|magistral|pixtral|voxtral/, MISTRAL],
]

/** Whether the vocabulary of the model is known, so that its tokens are counted and not estimated. */
export function hasOwnVocabulary(model: string): boolean {
  return familyOf(model).factor === 1
}

export function familyOf(model: string): Family {
  const name = model.toLowerCase()
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? OTHERS
}
