import { EMAIL, findIn, Refused, service } from './service.ts'

const KNOWN = [
  'text',
  'language',
  'score_threshold',
  'entities',
  'allow_list',
  'correlation_id',
  'return_decision_process',
]
const LANGUAGES = ['en', 'de']

/** The analyzer of Presidio: no authentication, a plain text or a list of texts, positions in code points, no member that it does not know. */
export const presidio = service((body, { path }) => {
  if (path !== '/analyze') throw new Refused(404, { error: 'The requested URL was not found on the server.' })
  for (const name of Object.keys(body))
    if (!KNOWN.includes(name)) throw new Refused(500, { error: `unexpected ${name}` })
  const { text, language, entities, score_threshold: least = 0, allow_list: allowed = [] } = body
  if (typeof text !== 'string' || text === '') throw new Refused(500, { error: 'No text provided' })
  if (!LANGUAGES.includes(String(language)))
    throw new Refused(500, { error: 'No matching recognizers were found to serve the request.' })
  const wanted = Array.isArray(entities) ? entities : ['EMAIL_ADDRESS', 'PERSON']
  const found = [
    ...findIn(text, EMAIL).map((place) => ({ ...place, type: 'EMAIL_ADDRESS', score: 1 })),
    // The name inside of the address is found as well, which overlaps.
    ...findIn(text, 'zoë').map((place) => ({ ...place, type: 'PERSON', score: 0.85 })),
    ...findIn(text, 'perhaps').map((place) => ({ ...place, type: 'PERSON', score: 0.2 })),
  ]
  return found
    .filter(
      ({ type, score, text: word }) =>
        wanted.includes(type) && score >= Number(least) && !(allowed as unknown[]).includes(word),
    )
    .map(({ from, to, type, score }) => ({
      analysis_explanation: null,
      end: to,
      entity_type: type,
      score,
      start: from,
    }))
})
