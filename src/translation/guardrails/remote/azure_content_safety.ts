import Type from '../../../base/schema/type.ts'
import { closed, optional, words } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { type CheckedText, NOTHING_FOUND, remoteCheck, type Verdict } from '../check.ts'
import { address, credential, under } from '../fields.ts'
import { UnreadableVerdict, verdictReader } from '../reply-reader.ts'
import { joinedText, MAX_JOINED } from './joined-texts.ts'

// https://learn.microsoft.com/rest/api/contentsafety/text-operations. A text has at most 10,000 code points.

const VERSION = '?api-version=2024-09-01'
const CATEGORIES = ['Hate', 'SelfHarm', 'Sexual', 'Violence'] as const
const SEVERITY = 4

const severity = Type.Integer({ minimum: 1, maximum: 7, description: 'Of this category.' })
const params = closedParams({
  endpoint: address('The address of the resource, such as `https://name.cognitiveservices.azure.com`.'),
  credential: credential('A key of the resource'),
  api: words(['shield_prompt', 'analyze'], {
    description:
      '`shield_prompt` finds attacks on the model: in `input` those of the user, elsewhere those that are hidden in documents. ' +
      '`analyze` finds harmful content.',
  }),
  severity: optional(severity, 'For `analyze`: the severity, of 0 to 7, from which content counts.', {
    default: SEVERITY,
  }),
  severities: optional(
    Type.Object(Object.fromEntries(CATEGORIES.map((name) => [name, Type.Optional(severity)])), closed),
    'For `analyze`: other severities for single categories.',
  ),
  categories: optional(
    Type.Array(words([...CATEGORIES]), { minItems: 1, maxItems: CATEGORIES.length }),
    'For `analyze`: the categories to look for. The default is all.',
  ),
  blocklists: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 10 }),
    'For `analyze`: blocklists of the resource.',
  ),
})
type Params = {
  severity?: number | null
  severities?: Partial<Record<string, number>> | null
  categories?: readonly string[] | null
  blocklists?: readonly string[] | null
}

const readAnalysis = verdictReader(
  Type.Object({
    categoriesAnalysis: Type.Array(Type.Object({ category: Type.String(), severity: Type.Integer({ minimum: 0 }) })),
    blocklistsMatch: Type.Optional(Type.Array(Type.Object({ blocklistName: Type.String() }))),
  }),
)
const Shielded = Type.Object({ attackDetected: Type.Boolean() })
const readShields = verdictReader(
  Type.Object({
    userPromptAnalysis: optional(Shielded, ''),
    documentsAnalysis: optional(Type.Array(Shielded), ''),
  }),
)

export default remoteCheck({
  description:
    'Asks Azure AI Content Safety for attacks on the model (Prompt Shields) or for harmful content. It only judges.',
  params,
  auth: () => ({ kind: 'header', header: 'ocp-apim-subscription-key' }),
  rewrites: false,
  maxChars: 9_000,
  maxTexts: MAX_JOINED,
  request(texts, params) {
    const isShield = params.api === 'shield_prompt'
    const path = isShield ? '/contentsafety/text:shieldPrompt' : '/contentsafety/text:analyze'
    const body = isShield ? shieldBody(texts) : analysisBody(texts, params)
    return { url: under(params.endpoint, path) + VERSION, body }
  },
  read: (reply, texts, params) =>
    params.api === 'shield_prompt' ? shieldVerdict(reply, texts) : analysisVerdict(reply, params),
})

/** What the user writes, and what comes from elsewhere. */
function shieldBody(texts: readonly CheckedText[]) {
  const { prompt, documents } = shielded(texts)
  return {
    ...(prompt.length > 0 && { userPrompt: joinedText(prompt) }),
    documents: documents.length > 0 ? [joinedText(documents)] : [],
  }
}

function shielded(texts: readonly CheckedText[]) {
  return {
    prompt: texts.filter(({ phase }) => phase === 'input'),
    documents: texts.filter(({ phase }) => phase !== 'input'),
  }
}

function shieldVerdict(reply: unknown, texts: readonly CheckedText[]): Verdict {
  const { userPromptAnalysis, documentsAnalysis } = readShields(reply)
  const { prompt, documents } = shielded(texts)
  const attacks = [
    ...(userPromptAnalysis?.attackDetected ? ['user_prompt_attack'] : []),
    ...(documentsAnalysis?.some(({ attackDetected }) => attackDetected) ? ['document_attack'] : []),
  ]
  if (attacks.length > 0) return { found: attacks }
  const isMissing = (prompt.length > 0 && !userPromptAnalysis) || (documents.length > 0 && !documentsAnalysis?.length)
  if (isMissing) throw new UnreadableVerdict('the check says nothing about a part of the texts')
  return NOTHING_FOUND
}

function analysisBody(texts: readonly CheckedText[], { categories, blocklists }: Params) {
  return {
    text: joinedText(texts),
    categories: categories ?? CATEGORIES,
    outputType: 'EightSeverityLevels',
    ...(blocklists && { blocklistNames: blocklists, haltOnBlocklistHit: false }),
  }
}

function analysisVerdict(reply: unknown, { severity, severities, categories }: Params): Verdict {
  const { categoriesAnalysis, blocklistsMatch = [] } = readAnalysis(reply)
  const harmful = categoriesAnalysis.filter(
    (one) => one.severity >= (severities?.[one.category] ?? severity ?? SEVERITY),
  )
  const found = [
    ...harmful.map(({ category }) => category),
    ...blocklistsMatch.map(({ blocklistName }) => `blocklist ${blocklistName}`),
  ]
  if (found.length > 0) return { found: [...new Set(found)] }
  const judged = new Set(categoriesAnalysis.map(({ category }) => category))
  if ((categories ?? CATEGORIES).every((name) => judged.has(name))) return NOTHING_FOUND
  throw new UnreadableVerdict('the check says nothing about some categories')
}
