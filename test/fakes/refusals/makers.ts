import {
  type Answer,
  type Said,
  anthropicAnswer,
  bedrockAnswer,
  cohereAnswer,
  deepseekAnswer,
  geminiAnswer,
  googleChatAnswer,
  groqAnswer,
  kimiAnswer,
  mistralAnswer,
  openaiAnswer,
  openrouterAnswer,
  responsesAnswer,
} from './answers.ts'
import { ANTHROPIC_RULES, boundSignature } from './anthropic.ts'
import { BEDROCK_RULES } from './bedrock.ts'
import { COHERE_RULES } from './cohere.ts'
import { GEMINI_RULES, VERTEX_RULES } from './gemini.ts'
import {
  AZURE_RULES,
  CEREBRAS_RULES,
  DEEPSEEK_RULES,
  GOOGLE_RULES,
  GROQ_RULES,
  MISTRAL_AT_NVIDIA_RULES,
  MISTRAL_RULES,
  MOONSHOT_RULES,
  OPENAI_RULES,
  OPENROUTER_RULES,
  PERPLEXITY_RULES,
} from './openai-chat.ts'
import { RESPONSES_RULES } from './openai-responses.ts'
import { type Fields, type Reader, refusalOf, type Rule } from './rule.ts'

/** A model at a provider: what it refuses, and how it answers. */
export type Maker = {
  model: string
  rules: readonly Rule[]
  answer: Answer
  reader: Reader
  /** It has no tools. */
  talksOnly?: boolean
  /** It accepts no images. */
  isBlind?: boolean
}

const CLAUDE = 'Y2xhdWRl'
const GOOGLE = 'Z29vZ2xl'

export const MAKERS: readonly Maker[] = [
  maker('openai/gpt-4.1', OPENAI_RULES, openaiAnswer, { signature: 'gAAAA-openai' }),
  maker('openai/gpt-5.4', OPENAI_RULES, openaiAnswer, { signature: 'gAAAA-openai' }),
  maker('azure/gpt-5-mini', AZURE_RULES, openaiAnswer, { signature: 'gAAAA-azure' }),
  maker('azure/gpt-5.4', AZURE_RULES, openaiAnswer, { signature: 'gAAAA-azure' }),
  maker('anthropic/claude-sonnet-4-5', ANTHROPIC_RULES, anthropicAnswer, { signature: CLAUDE }),
  maker('anthropic/claude-sonnet-5', ANTHROPIC_RULES, anthropicAnswer, { signature: CLAUDE }),
  maker('anthropic/claude-sonnet-5-5', ANTHROPIC_RULES, anthropicAnswer, { signature: CLAUDE, isBound: true }),
  maker('google/gemini-2.5-flash', GEMINI_RULES, geminiAnswer, { signature: GOOGLE }),
  maker('google/gemini-3-flash-preview', GEMINI_RULES, geminiAnswer, { signature: GOOGLE, byLevel: true }),
  maker('vertex/gemini-3.1-pro-preview', VERTEX_RULES, geminiAnswer, { signature: GOOGLE, byLevel: true }),
  maker('amazon/anthropic.claude-opus-4-5-20251101-v1:0', BEDROCK_RULES, bedrockAnswer, { signature: CLAUDE }),
  maker('amazon/amazon.nova-2-lite-v1:0', BEDROCK_RULES, bedrockAnswer, { signature: '' }),
  {
    ...maker('amazon/mistral.mistral-large-3-675b-instruct', BEDROCK_RULES, bedrockAnswer, {
      signature: '',
      shortIds: true,
    }),
    isBlind: true,
  },
  { ...maker('cohere/command-a-reasoning-08-2025', COHERE_RULES, cohereAnswer, { signature: '' }), isBlind: true },
  maker('mistral/mistral-medium-latest', MISTRAL_RULES, mistralAnswer, { signature: '' }),
  {
    ...maker('nvidia/mistralai/mistral-7b-instruct-v0.3', MISTRAL_AT_NVIDIA_RULES, openaiAnswer, { signature: '' }),
    isBlind: true,
  },
  { ...maker('deepseek/deepseek-flash', DEEPSEEK_RULES, deepseekAnswer, { signature: '' }), isBlind: true },
  { ...maker('groq/openai/gpt-oss-120b', GROQ_RULES, groqAnswer, { signature: '' }), isBlind: true },
  { ...maker('cerebras/gpt-oss-120b', CEREBRAS_RULES, groqAnswer, { signature: '' }), isBlind: true },
  maker('moonshot/kimi-k2.6', MOONSHOT_RULES, kimiAnswer, { signature: '' }),
  maker('google-openai/gemini-3-flash-preview', GOOGLE_RULES, googleChatAnswer, { signature: GOOGLE }),
  maker('openrouter/anthropic/claude-sonnet-4.5', OPENROUTER_RULES, openrouterAnswer, { signature: CLAUDE }),
  { ...maker('perplexity/sonar-pro', PERPLEXITY_RULES, openaiAnswer, { signature: '' }), talksOnly: true },
]

function maker(model: string, rules: readonly Rule[], answer: Answer, reader: Reader): Maker {
  return { model, rules, answer, reader }
}

/** What a maker makes of a request: its answer, or why it refuses. */
export function answerOf(
  maker: Maker,
  url: string,
  body: Fields,
  said: Said,
): { refusal: string } | { answer: Fields } {
  const { rules, answer, reader } = atAddress(maker, url)
  const refusal = refusalOf(rules, body, reader)
  if (refusal) return { refusal: `${maker.model}: ${refusal}` }
  const { signature, isBound } = reader
  return { answer: answer({ ...said, signature: isBound ? boundSignature(signature, body) : signature }) }
}

/** The same maker behind OpenAI's responses endpoint, which some calls have to use. */
function atAddress(maker: Maker, url: string): Maker {
  return url.endsWith('/responses') ? { ...maker, rules: RESPONSES_RULES, answer: responsesAnswer } : maker
}
