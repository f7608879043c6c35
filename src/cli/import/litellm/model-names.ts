import { approximate, exact, manual, type Verdict } from '../finding.ts'

/** A model as its provider calls it. */
export type ModelAt = { provider: string; model: string; region?: string | undefined; verdict: Verdict }

/**
 * LiteLLM's names of providers whose requests are those of Gatehouse: a test compares what both send. The verdict about any
 * other name is `approximate`, however similar it looks.
 */
export const COMPARED: Readonly<Record<Kind, ReadonlySet<string>>> = {
  chat: new Set([
    ...['ai21_chat', 'anthropic', 'azure', 'baseten', 'bedrock', 'cerebras', 'chutes'],
    ...['clarifai', 'cloudflare', 'cohere', 'cohere_chat', 'cortecs', 'deepinfra', 'featherless_ai'],
    ...['fireworks_ai', 'friendliai', 'gemini', 'groq', 'hyperbolic', 'inception', 'lambda_ai'],
    ...['llamafile', 'meta', 'mistral', 'modelscope', 'moonshot', 'morph', 'nscale'],
    ...['nvidia_nim', 'openai', 'ovhcloud', 'parasail', 'perplexity', 'sambanova', 'scaleway'],
    ...['snowflake', 'together_ai', 'vercel_ai_gateway', 'volcengine', 'wandb', 'xai', 'xiaomi_mimo'],
    ...['zai'],
  ]),
  embedding: new Set([...['fireworks_ai', 'jina_ai', 'mistral', 'nvidia_nim', 'openai', 'together_ai'], ...['voyage']]),
  other: new Set(),
}

/** The same for chats with servers at an address of the operator. */
export const COMPARED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...[
    'azure_ai',
    'bedrock_mantle',
    'codestral',
    'custom_openai',
    'docker_model_runner',
    'hosted_vllm',
    'litellm_proxy',
  ],
  ...['llamafile', 'lm_studio', 'openai', 'xinference'],
])

export type Kind = 'chat' | 'embedding' | 'other'

const CHAT_MODES: ReadonlySet<unknown> = new Set(['chat', 'completion', 'responses'])

/** What the model is for, by what the file says, or else by its name. */
export function kindOf(mode: unknown, name: string): Kind {
  if (mode != null) return CHAT_MODES.has(mode) ? 'chat' : mode === 'embedding' ? 'embedding' : 'other'
  if (/embed|(?:^|[/-])(?:bge|e5|gte)-|^voyage-/i.test(name)) return 'embedding'
  return OTHER_KINDS.test(name) ? 'other' : 'chat'
}

const OTHER_KINDS =
  /rerank|image|dall-e|flux|diffusion|recraft|veo-|sora|whisper|transcri|tts|speech|realtime|moderation|ocr/i

export const IS_TARGET = exact('is a target of the alias')
export const NOT_COMPARED = approximate(
  'is a target of the alias; its requests are not proven to be the same as those of LiteLLM',
)
export const BY_RESPONSES = approximate(
  'LiteLLM sends chats to the responses endpoint of the provider, Gatehouse to the one for chats',
)
const BY_CONVERSE = approximate(
  'LiteLLM chooses between Converse and InvokeModel by the name; Gatehouse calls all models by Converse',
)

/** A part of a name that tells LiteLLM how to call the model, and what is left of the name without it. */
type Rule = {
  of: RegExp
  name: RegExp
  rest: string
  verdict: Verdict
  /** The model is of another provider here. */
  provider?: string
  /** There is nothing here that calls such a model. */
  isRefused?: true
  isChat?: true
}

const refused = (of: RegExp, name: RegExp, note: string): Rule => ({
  of,
  name,
  rest: '$&',
  verdict: manual(note),
  isRefused: true,
})

const RULES: readonly Rule[] = [
  { of: /./, name: /^responses\//, rest: '', verdict: BY_RESPONSES },
  { of: /^(?:openai|azure)$/, name: /-pro\b|codex|deep-research/, rest: '$&', verdict: BY_RESPONSES },
  {
    of: /^azure$/,
    name: /^(?:o_series|gpt5_series)\//,
    rest: '',
    verdict: approximate('the name of the model says what it can do, or base_model; Gatehouse has no prefix for that'),
  },
  {
    of: /^azure$/,
    name: /^(?:mistral|codestral|ministral|pixtral|command)-/,
    rest: '$&',
    verdict: approximate('LiteLLM takes some of these names for another service of Azure than its OpenAI models'),
  },
  refused(
    /^bedrock/,
    /^(?:agent|agentcore|async_invoke|mantle|claude_platform)\//,
    'Gatehouse calls the models of Bedrock, not its agents and other services',
  ),
  { of: /^bedrock/, name: /^converse\//, rest: '', verdict: IS_TARGET },
  { of: /^bedrock/, name: /^(?:invoke|converse_like)\//, rest: '', verdict: BY_CONVERSE },
  { of: /^bedrock/, name: /^nova(?:-2)?\/(?=arn:)/, rest: '', verdict: IS_TARGET },
  { of: /^bedrock/, name: /^[a-z0-9_]+\/(?=arn:)/, rest: '', verdict: BY_CONVERSE },
  {
    of: /^bedrock/,
    name: /^\d+-month-commitment\//,
    rest: '',
    verdict: manual(
      'a commitment needs the ARN of the provisioned model in place of the name; the plain model is called',
    ),
  },
  {
    of: /^bedrock$/,
    name: /^chat_completions\//,
    rest: '',
    verdict: approximate('is called in the format of OpenAI, with the key of AWS_BEARER_TOKEN_BEDROCK'),
    provider: 'bedrock-openai',
  },
  { of: /^vertex_ai/, name: /^gemini\//, rest: '', verdict: IS_TARGET },
  refused(
    /^vertex_ai/,
    /^(?!gemini-|text-|textembedding|multimodalembedding|imagen|imagegeneration|\*)/,
    'Gatehouse calls the models of Google at Vertex AI; models of other makers and endpoints of your own are left out',
  ),
  {
    of: /^gemini$/,
    name: /^(?!gemini-[12]\.|gemma-)/,
    rest: '',
    verdict: approximate('LiteLLM calls newer models by v1alpha, Gatehouse by v1beta'),
  },
  {
    of: /^anthropic$/,
    name: /^claude-(?:2|instant)/,
    rest: '$&',
    verdict: approximate('LiteLLM calls it by text completions, Gatehouse by messages'),
  },
  { of: /^cohere/, name: /^v1\//, rest: '', verdict: approximate('Gatehouse calls version 2 of the API of Cohere') },
  refused(
    /^watsonx/,
    /^deployment\//,
    'deployments at watsonx have an address of their own, which Gatehouse does not call',
  ),
  refused(/^perplexity$/, /^preset\//, 'Gatehouse does not call presets of Perplexity'),
  {
    of: /^clarifai$/,
    name: /^([^./]+)\.([^./]+)\.([^/]+)$/,
    rest: 'https://clarifai.com/$1/$2/models/$3',
    verdict: IS_TARGET,
  },
  {
    of: /^huggingface$/,
    name: /^([^/:]+)\/([^/]+\/[^/:]+)$/,
    rest: '$2:$1',
    verdict: approximate('the router of Hugging Face is told the host after a colon'),
  },
  {
    of: /^fireworks_ai$/,
    name: /^(?!accounts\/)([^#*]+)$/,
    rest: 'accounts/fireworks/models/$1',
    verdict: IS_TARGET,
    isChat: true,
  },
]

const REGION = /^([a-z]{2}(?:-[a-z]+)+-\d)\/(?=.)/

/** A name has no more parts than this that say how LiteLLM calls the model. */
const MAX_PARTS = 5

/** What a name of LiteLLM means, without the parts that are only for LiteLLM. `source` is LiteLLM's name of the provider. */
export function readModelName(
  source: string,
  name: string,
  { provider, kind }: { provider: string; kind: Kind },
): ModelAt | { refusal: Verdict } {
  const found = {
    provider,
    model: name,
    region: undefined as string | undefined,
    verdict: usualVerdict(source, name, kind),
  }
  const used = new Set<Rule>()
  for (let part = 0; part < MAX_PARTS; part++) {
    const [, region] = source.startsWith('bedrock') ? (REGION.exec(found.model) ?? []) : []
    if (region) found.region = region
    found.model = region ? found.model.replace(REGION, '') : found.model
    const rule = RULES.find((one) => !used.has(one) && applies(one, source, found.model, kind))
    if (!rule) break
    used.add(rule)
    if (rule.isRefused) return { refusal: rule.verdict }
    found.model = found.model.replace(rule.name, rule.rest)
    found.provider = rule.provider ?? found.provider
    found.verdict = worse(found.verdict, rule.verdict)
  }
  return found
}

function applies(rule: Rule, source: string, model: string, kind: Kind): boolean {
  return rule.of.test(source) && rule.name.test(model) && (!rule.isChat || kind === 'chat')
}

function usualVerdict(source: string, name: string, kind: Kind): Verdict {
  if (source === 'bedrock' && kind === 'chat' && !/(?:^|\/)(?:converse\/|nova(?:-2)?\/arn:)/.test(name))
    return BY_CONVERSE
  return COMPARED[kind].has(source) ? IS_TARGET : NOT_COMPARED
}

const ORDER = ['exact', 'approximate', 'manual', 'unsupported']

/** The first of two equal ones says less than the second, which is about this name. */
function worse(one: Verdict, other: Verdict): Verdict {
  return ORDER.indexOf(other.outcome) >= ORDER.indexOf(one.outcome) ? other : one
}
