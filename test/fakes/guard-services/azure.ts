import { listOf, textOf } from '../../../src/base/schema/record.ts'
import { ATTACK, only, Refused, SECRET, service, textIn } from './service.ts'

const MAX_CHARACTERS = 10_000
const CATEGORIES = ['Hate', 'SelfHarm', 'Sexual', 'Violence']
const VERSION = '?api-version=2024-09-01'

/** Azure AI Content Safety: a key in a header of its own, at most 10,000 characters, five documents. */
export const azure = service((body, { path, headers }) => {
  if (headers['ocp-apim-subscription-key'] !== SECRET)
    throw new Refused(401, {
      error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' },
    })
  if (path === `/contentsafety/text:shieldPrompt${VERSION}`) return shield(body)
  if (path === `/contentsafety/text:analyze${VERSION}`) return analyze(body)
  throw new Refused(404, { error: { code: '404', message: 'Resource not found' } })
})

const invalid = (message: string) => new Refused(400, { error: { code: 'InvalidRequestBody', message } })

function shield(body: Record<string, unknown>) {
  only(body, ['userPrompt', 'documents'], (name) => invalid(name))
  const documents = listOf(body.documents).map((text) => textIn(text, () => invalid('documents')))
  const prompt = body.userPrompt === undefined ? undefined : textIn(body.userPrompt, () => invalid('userPrompt'))
  if (prompt === undefined && documents.length === 0) throw invalid('There is nothing to analyze.')
  if (documents.length > 5 || length(documents.join('')) > MAX_CHARACTERS) throw invalid('documents')
  if (length(prompt ?? '') > MAX_CHARACTERS) throw invalid('userPrompt')
  const judged = (text: string) => ({ attackDetected: text.includes(ATTACK) })
  return {
    ...(prompt !== undefined && { userPromptAnalysis: judged(prompt) }),
    documentsAnalysis: documents.map(judged),
  }
}

function analyze(body: Record<string, unknown>) {
  only(body, ['text', 'categories', 'blocklistNames', 'haltOnBlocklistHit', 'outputType'], (name) => invalid(name))
  const text = textIn(body.text, () => invalid('text'))
  if (text === '' || length(text) > MAX_CHARACTERS) throw invalid('The length of the text is not allowed.')
  if (body.outputType !== 'EightSeverityLevels') throw invalid('outputType')
  const categories = listOf(body.categories).map(textOf)
  for (const category of categories) if (!CATEGORIES.includes(category)) throw invalid(`categories: ${category}`)
  return {
    blocklistsMatch: listOf(body.blocklistNames).flatMap((name) => {
      return text.includes('tulip') ? [{ blocklistName: name, blocklistItemId: '1', blocklistItemText: 'tulip' }] : []
    }),
    // "violence 5" has that severity.
    categoriesAnalysis: categories.map((category) => {
      return { category, severity: Number(new RegExp(`${category} (\\d)`).exec(text)?.[1] ?? 0) }
    }),
  }
}

function length(text: string): number {
  return Array.from(text).length
}
